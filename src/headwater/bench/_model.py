"""What every suite shares: items, predictions, metrics, and the protocol of a suite and of an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from headwater.models import ChatModel

if TYPE_CHECKING:
    from headwater.lake import Lake


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a suite.

    Attributes:
        id: stable and unique in the suite, whatever is loaded beside it.
        question: what the agent is asked.
        gold: the right answer, as JSON.
        answer_type: list, ordered_list, integer, boolean, string …, as the suite defines.
        slices: what results are broken down by: {"kind": "join_path", "difficulty": "easy", …}.
        details: what else the suite needs to run and to score the item; JSON.
    """

    id: str
    question: str
    gold: Any
    answer_type: str
    slices: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the item as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Problem:
    """An item that could not be loaded: where it stands and why."""

    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """The items of a source, and those that could not be used."""

    items: Sequence[Item]
    problems: Sequence[Problem] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """An agent's answer.

    Attributes:
        status: "answered" or "abstained".
        value: the answer as JSON; None if it abstained.
        text: the answer in words, if there are any.
        trace: what the agent did, step by step.
    """

    status: str
    value: Any = None
    text: str = ""
    trace: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Metric:
    """How single scores become one figure.

    Attributes:
        name: name in the results.
        score: the score of an item that it aggregates.
        version: grows when the definition changes; stored with every figure.
        macro: slice over whose values the mean is taken first ("" for the plain mean over items).
        digits: digits that group means are rounded to before their mean is taken, where a published definition does so.
        unit: "" for a share, which is shown in percent; else what it counts: "s", "USD", "calls" …
        help: definition in one sentence, and whether it is deterministic or judged.
    """

    name: str
    score: str
    version: str
    macro: str = ""
    digits: int | None = None
    help: str = ""
    unit: str = ""

    def told(self, value: float) -> str:
        """Return a value of this metric as text."""
        return f"{value:.1%}" if not self.unit else f"{value:,.4g} {self.unit}"


@dataclass(frozen=True, slots=True)
class Published:
    """Published figures.

    Attributes:
        source: where they are from.
        metric: own metric that they compare with.
        title: what the chart shows.
        bars: label and percentage, for the chart.
        tables: heading, columns and rows.
    """

    source: str
    metric: str
    title: str
    bars: Sequence[tuple[str, float]]
    tables: Sequence[tuple[str, Sequence[str], Sequence[Sequence[Any]]]]


@dataclass(frozen=True, slots=True)
class AgentSetup:
    """What an agent is made from.

    Attributes:
        data: the folder of the suite's data inside the run.
        model: the model, or None for an agent without one.
        parameters: options of the agent as recorded in the run.
        workspace: a folder for files of the agent's own.
    """

    data: Path
    model: ChatModel | None
    parameters: Mapping[str, Any]
    workspace: Path


class Agent(Protocol):
    """Answers items. One object serves all threads of a run."""

    def answer(
        self, item: Item, model: ChatModel | None, *, repeat: int = 0, deadline: float | None = None
    ) -> Prediction:
        """Answer an item.

        Args:
            item: the item; `gold` is for oracles only.
            model: the model to call, metered for this item.
            repeat: number of the repetition, for the cache.
            deadline: time of `time.monotonic` to be done by.
        """
        ...


class Suite(Protocol):
    """A benchmark: loading, agents, scoring."""

    name: str
    version: str
    agents: Mapping[str, str]
    """Names of the agents, each with one sentence."""
    needs_model: frozenset[str]
    """Agents that call a model."""
    metrics: Sequence[Metric]
    slices: Sequence[str]
    """Names of the slices that results are broken down by."""
    outcomes: Mapping[str, str]
    """Scores of 0 or 1 that say what became of an item, with a name each; they are counted under `failures`."""
    over_lake: bool
    """Whether the agents work over an ingested lake, which the parameters `lake` and `state` of a run name."""

    def load(self, source: Path) -> Loaded:
        """Read a source in any of the layouts that the suite knows."""
        ...

    def save(self, source: Path, items: Sequence[Item], folder: Path) -> None:
        """Copy what running and scoring `items` takes into a folder that `load` reads."""
        ...

    def settle(
        self, agent: str, parameters: Mapping[str, Any], source: Path, lake: Lake | None
    ) -> dict[str, Any]:
        """Return the parameters of a run with everything that its answers depend on: defaults, choices, the lake's state."""
        ...

    def agent(self, name: str, setup: AgentSetup) -> Agent:
        """Make an agent."""
        ...

    def published(self) -> Published | None:
        """Return published figures to set results beside, or None."""
        ...

    def row(self, score: Mapping[str, Any]) -> Sequence[str]:
        """Return a result of `score_run` as a row of the tables of `published`, without the name; () if it fits none."""
        ...

    def scorer(self, data: Path) -> Callable[[Item, Prediction | None], dict[str, float]]:
        """Return the function that scores a prediction (None: there is none, the call failed)."""
        ...
