"""Visitors: how the window answers other programs, by the agent that answers its person."""

from collections.abc import Callable
from typing import Any

from assistant.bus.client import RAISE
from assistant.bus.methods import Bus
from assistant.bus.wire import Call
from gui.running import AgentConductor
from gui.visitor import Reception, Visitor


class Visitors:
    """Answers the calls of other programs.

    Args:
        raise_window: brings the window to the front.
        reception: asks the person about what has an effect.
        conductor: who runs requests at the moment.
    """

    def __init__(
        self,
        raise_window: Callable[[], None],
        reception: Reception,
        conductor: Callable[[], AgentConductor],
    ) -> None:
        self._raise_window = raise_window
        self._reception = reception
        self._conductor = conductor

    async def answer(self, call: Call) -> Any:
        """The result of a call.

        Raises:
            BusError: there is no such method, or it cannot be answered.
        """
        if call.method == RAISE:
            self._raise_window()
            return True
        with self._conductor().engaged() as agent:
            return await Bus(agent, Visitor(self._reception)).call(call.method, call.params)
