"""The subjects: everything that the built-in planner understands."""

from assistant.planners.phrases.agenda import AGENDA
from assistant.planners.phrases.answer import ANSWER
from assistant.planners.phrases.appointment import APPOINTMENT
from assistant.planners.phrases.contact import CONTACT
from assistant.planners.phrases.event import EVENT
from assistant.planners.phrases.forward import FORWARD
from assistant.planners.phrases.letter import LETTER
from assistant.planners.phrases.mail import MAIL
from assistant.planners.phrases.news import NEWSLETTERS
from assistant.planners.phrases.orientation import ORIENTATION
from assistant.planners.phrases.tidying import TIDYING

SUBJECTS = (
    MAIL,
    NEWSLETTERS,
    AGENDA,
    EVENT,
    APPOINTMENT,
    LETTER,
    ANSWER,
    FORWARD,
    TIDYING,
    CONTACT,
    ORIENTATION,
)
