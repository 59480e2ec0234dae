"""The experiment's program on DBOS: a workflow of two steps; started again, `DBOS.launch()` recovers it."""

from __future__ import annotations

from dbos import DBOS, SetWorkflowID

from bench.kill.payments import Payments, told

_ORDER = "order-1"

folder, tool, place = told()
payments = Payments(folder, place=place, tool=tool)
DBOS(
    config={
        "name": "kill",
        "system_database_url": f"sqlite:///{folder}/dbos.sqlite",
        "log_level": "ERROR",
    }
)


def _pay() -> None:
    """The effect, under the key that DBOS keeps for a step: its workflow's id and its number."""
    key = f"{DBOS.workflow_id}/{DBOS.step_id}"
    if tool == "asked" and payments.paid(key):  # by hand: whoever writes the step asks first
        return
    payments.pay(key)


def _thank() -> str:
    """The next step."""
    return "completed"


def _order() -> str:
    """Pays, then goes on."""
    pay()
    place.reach("behind")
    status: str = thank()
    return status


pay, thank = DBOS.step(name="pay")(_pay), DBOS.step(name="thank")(_thank)
order = DBOS.workflow(name="order")(_order)


if __name__ == "__main__":
    recovering = (folder / "dbos.sqlite").exists()
    DBOS.launch()
    if recovering:
        print(DBOS.retrieve_workflow(_ORDER).get_result())
    else:
        with SetWorkflowID(_ORDER):
            print(order())
    DBOS.destroy()
