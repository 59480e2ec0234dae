"""The experiment's program on LangGraph: a graph of two nodes; started again, the same thread is invoked."""

from __future__ import annotations

from typing import TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from bench.kill.payments import Payments, told

_THREAD: RunnableConfig = {"configurable": {"thread_id": "order-1"}}

folder, tool, place = told()
payments = Payments(folder, place=place, tool=tool)


class Order(TypedDict):
    """The graph's state."""

    status: str


def pay(state: Order, *, runtime: Runtime[None]) -> Order:
    """The effect, under a key that LangGraph keeps for a node's run: its thread's id and its task's."""
    info = runtime.execution_info
    assert info is not None
    key = f"{info.thread_id}/{info.task_id}"
    if tool != "asked" or not payments.paid(key):  # by hand: whoever writes the node asks first
        payments.pay(key)
    return {**state, "status": "paid"}


def thank(state: Order) -> Order:
    """The next node."""
    place.reach("behind")
    return {**state, "status": "completed"}


if __name__ == "__main__":
    recovering = (folder / "langgraph.sqlite").exists()
    graph = StateGraph(Order)
    graph.add_node("pay", pay)
    graph.add_node("thank", thank)
    graph.add_edge(START, "pay")
    graph.add_edge("pay", "thank")
    graph.add_edge("thank", END)
    with SqliteSaver.from_conn_string(f"{folder}/langgraph.sqlite") as checkpointer:
        compiled = graph.compile(checkpointer=checkpointer)
        # `sync`, its most durable mode: a checkpoint is written before the next node begins.
        print(compiled.invoke(None if recovering else {"status": "new"}, _THREAD, durability="sync")["status"])
