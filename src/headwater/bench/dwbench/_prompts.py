"""What the baselines say to a model. The published baselines are followed in what they show and allow, not in their words."""

from __future__ import annotations

from typing import Final

CONTEXT: Final = (
    "You answer questions about the schema of a data warehouse: its foreign keys and its lineage. Work only with what is given "
    "below. A silo is a set of tables connected by foreign keys or lineage, directions ignored."
)

CONTEXT_QUESTION: Final = "{context}\n\nQuestion: {question}\n\n{instructions}"

TOOLS: Final = (
    "You answer questions about the schema of a data warehouse: its foreign keys and its lineage. You see the names of the tables "
    "only; look up everything else with the tools. You may make {calls} tool calls in all, so choose them well. When you know the "
    "answer, give it."
)

TOOLS_QUESTION: Final = "Tables:\n{tables}\n\nQuestion: {question}\n\n{instructions}"

TOOLS_LEFT: Final = "{left} tool calls are left."

TOOLS_DONE: Final = "No tool calls are left. Give the answer now. {instructions}"

CODE: Final = (
    "You answer questions about the schema of a data warehouse by writing Python. In every reply either write one block of code "
    "between ```python and ```, or give the answer. The code runs in a sandbox without network, each time anew, and you see what it "
    "prints and the value of the variable `result`. You have {rounds} runs.\n\n"
    "These names are defined: `tables` (list of names), `fk` (list of pairs: child, parent), `lineage` (list of pairs: source, "
    "target, as the data flows){graphs}{rows}."
)

CODE_GRAPHS: Final = ', `G` (networkx.DiGraph over both, with the edge attribute type "fk" or "lineage"), `G_undirected`, and `nx`'

CODE_ROWS: Final = ", `row_links` (list of target table, target row, source table, source row)"

CODE_QUESTION: Final = (
    "The schema has {tables} tables, {keys} foreign key pairs and {flows} lineage pairs. Some tables: {sample}.\n\n"
    "Question: {question}\n\nWhen you know the answer: {instructions}"
)

CODE_OUTPUT: Final = "{outcome}\n\n{left} runs are left."

CODE_DONE: Final = "{outcome}\n\nNo runs are left. {instructions}"

ORACLE: Final = (
    "You are given a question about the schema of a data warehouse together with its right answer in words. Put the answer into the "
    "form that is asked for."
)

ORACLE_QUESTION: Final = (
    "Question ({kind}): {question}\n\nRight answer: {gold}\n\n"
    'Reply with one JSON object and nothing else: {{"reasoning": one sentence, "answer": the answer as {form}}}.'
)

ORACLE_FORMS: Final = {
    "list": "a list of names",
    "ordered_list": "a list of names in the order of the path",
    "integer": "a whole number",
    "boolean": "true or false",
    "string": "a text",
}

PREAMBLE: Final = """\
import json as _json
_given = _json.load(open("graph.json"))
tables, fk, lineage = _given["tables"], [tuple(p) for p in _given["fk"]], [tuple(p) for p in _given["lineage"]]
row_links = [tuple(link) for link in _given.get("row_links", ())]
try:
    import networkx as nx
    G = nx.DiGraph()
    G.add_nodes_from(tables)
    G.add_edges_from(fk, type="fk")
    G.add_edges_from(lineage, type="lineage")
    G_undirected = G.to_undirected()
except ImportError:
    pass
"""
"""Runs before the model's code in every round."""
