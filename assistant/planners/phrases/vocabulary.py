"""The vocabulary of all rules: kinds of slots, and named patterns."""

from assistant.planners.phrases import time_slots, value_slots
from assistant.planners.phrases.lexicon import ENGLISH
from assistant.planners.phrases.phrase_pattern import Vocabulary

VOCABULARY = Vocabulary(
    readers={
        "number": value_slots.number,
        "address": value_slots.address,
        "name": value_slots.name,
        "who": value_slots.who,
        "topic": value_slots.topic,
        "quoted": value_slots.quoted,
        "text": value_slots.text,
        "rest": value_slots.rest,
        "quoted_text": value_slots.quoted_text,
        "title": value_slots.title,
        "location": value_slots.location,
        "room": value_slots.room,
        "day": time_slots.day,
        "next_weekday": time_slots.next_weekday,
        "weekday": time_slots.weekday,
        "date": time_slots.date,
        "clock": time_slots.clock,
        "moment": time_slots.moment,
        "ago": time_slots.ago,
        "ahead": time_slots.ahead,
        "duration": time_slots.duration,
        **{kind: value_slots.one_of(**words) for kind, words in ENGLISH["choices"].items()},
    },
    named=ENGLISH["named"],
)
