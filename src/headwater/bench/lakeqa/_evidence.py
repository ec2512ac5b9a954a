"""D_ret and D_acc of a trace against a task's gold, and how far a failed run came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from headwater.bench.lakeqa._tasks import Task, dataset_of

if TYPE_CHECKING:
    from headwater.trace import Measures


def scored_evidence(task: Task, told: Measures) -> dict[str, dict[str, float]]:
    """Return precision, recall and F1 of what was retrieved (`ret`) and opened (`acc`), by document and by dataset.

    A table or member counts as its document; an equivalent document, or its dataset, counts as the gold one.
    """
    from headwater.trace import evidence

    datasets: dict[str, set[str]] = {}
    for gold, others in task.equivalent.items():
        datasets.setdefault(dataset_of(gold), set()).update(
            d for d in map(dataset_of, others) if d not in task.datasets
        )
    found = {
        "ret": evidence(files_of(task, told.retrieved), task.documents, task.equivalent),
        "acc": evidence(files_of(task, told.opened), task.documents, task.equivalent),
        "ret_dataset": evidence(told.retrieved_datasets, task.datasets, datasets),
        "acc_dataset": evidence(told.opened_datasets, task.datasets, datasets),
    }
    return {name: asdict(figures) for name, figures in found.items()}


def bucket_of(task: Task, told: Measures, *, right: bool) -> str:
    """Return how far a run came, one of `headwater.trace.BUCKETS`; equivalent documents count."""
    from dataclasses import replace

    from headwater.trace import bucket

    plain = replace(
        told,
        retrieved=files_of(task, told.retrieved),
        opened=files_of(task, told.opened),
        analysed=files_of(task, told.analysed),
    )
    return bucket(plain, right=right, gold=task.accepted, gold_datasets=task.accepted_datasets)


def files_of(task: Task, documents: Iterable[str]) -> list[str]:
    """Return the files that tables (`file#table`) and members (`archive!member`) lie in, each once.

    A name of a gold document stays whole: it may hold these marks itself.
    """
    known, files = task.accepted, dict[str, Any]()
    for document in documents:
        whole = document if document in known else document.split("#")[0]
        files[whole if whole in known else _archive(whole, known)] = None
    return list(files)


def _archive(document: str, known: set[str]) -> str:
    """Return the archive of a member if the archive is gold, else the member itself."""
    archive = document.split("!")[0]
    return archive if archive in known else document
