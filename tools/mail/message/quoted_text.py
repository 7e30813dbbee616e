"""Quoted text: removes quoted history, signatures and list footers from the text of an email."""

import re
from collections.abc import Sequence
from functools import cache

MAX_LINES = 20_000
FORWARD_PREFIX = r"(?:fwd?|wg|tr|rv|i|enc|doorst|vs|pd)(?:\[\d{1,3}\])?\s?:"
"""Prefix of a forwarded mail's subject, in any case: "Fwd:" and its translations."""

_ATTRIBUTION = (
    r"^\W{0,4}(?:"
    r"(?:On|At)\b.{4,250}\b(?:wrote|writes)"
    r"|(?:Am|On|Um)\b.{4,250}\bschrieb(?:en)?\b.{0,120}"
    r"|Le\b.{4,250}\ba écrit"
    r"|El\b.{4,250}\bescribió"
    r"|Il\b.{4,250}\bha scritto"
    r"|Op\b.{4,250}\b(?:schreef|heeft)\b.{0,120}"
    r"|(?:Em|A|No dia)\b.{4,250}\bescreveu"
    r"|(?:Den|På)\b.{4,250}\b(?:skrev|skrifaði)\b.{0,120}"
    r"|W dniu\b.{4,250}\b(?:napisał|pisze)\b.{0,120}"
    r"|Dne\b.{4,250}\bnapsal.{0,120}"
    r"|.{4,250}\b(?:пишет|написал|написала|писав)"
    r"|.{4,250}(?:写道|寫道|のメール)"
    r"|.{0,120}<[^<>\s]{1,120}@[^<>\s]{1,120}>.{0,60}\b(?:wrote|writes|schrieb|a écrit|said)"
    r")\s?:\s*$"
)
_ATTRIBUTION_START = r"^\W{0,4}(?:On|At|Am|Um|Le|El|Il|Op|Em|A|No dia|Den|På|W dniu|Dne)\b"
_LOOSE_ATTRIBUTION = r"^.{2,120}\b(?:wrote|writes|said)\s?:$"
_TIME_OR_ADDRESS = re.compile(r"\d|@")  # an attribution names a time or an address
_SEPARATOR = (
    r"^\s*-{2,}\s*(?:Original Message|Original Appointment|Urspr[üu]e?ngliche (?:Nachricht|E-Mail)"
    r"|Message d'origine|Message original|Mensaje original|Messaggio originale|Mensagem original"
    r"|Oorspronkelijk bericht|Ursprungligt meddelande|Oprindelig meddelelse|Wiadomość oryginalna"
    r"|Původní zpráva|Исходное сообщение|Reply message|原始邮件|元のメッセージ)\s*-{2,}"
)
_FORWARDED = (
    r"^\s*(?:-{2,}\s*(?:Forwarded (?:message|by)|Weitergeleitete Nachricht|Message transféré"
    r"|Mensaje reenviado|Messaggio inoltrato|Mensagem encaminhada|Doorgestuurd bericht"
    r"|Vidarebefordrat meddelande|Пересылаемое сообщение|转发邮件)"
    r"|(?:Begin forwarded message|Anfang der weitergeleiteten Nachricht"
    r"|Début du message (?:réexpédié|transféré)|Inicio del mensaje reenviado)\s?:)"
)
_FROM_LINE = r"^\W{0,3}(?:From|Von|De|Da|Van|Från|Fra|Od|От|发件人|差出人)\s?\W{0,2}[::]\W{0,3}\S"
_BLOCK_LINE = (
    r"^\W{0,3}(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Fecha|Inviato|Data|Verzonden"
    r"|Skickat|Sendt|Wysłano|Отправлено|Дата|发送时间|送信日時)\s?\W{0,2}[::]"
)
_SUBJECT_LINE = (
    r"^\W{0,3}(?:Subject|Betreff|Objet|Asunto|Oggetto|Assunto|Onderwerp|Ämne|Emne|Temat|Тема|主题|件名)"
    r"\s?\W{0,2}[::]"
)
_MOBILE_SIGNATURE = (
    r"^\W{0,3}(?:Sent (?:from|with|via) (?:my |the )?(?:\w|[-./ ]){2,50}"
    r"|Get Outlook for (?:iOS|Android).{0,60}|(?:Von|Vom) (?:meinem|unterwegs) .{0,50}gesendet"
    r"|Gesendet (?:von|mit|über) .{2,60}|Envoyé (?:de|depuis|à partir d) ?.{2,60}"
    r"|Enviado (?:desde|do|de) .{2,60}|Inviato da .{2,60}|Verstuurd vanaf .{2,60}"
    r"|Diese Nachricht wurde von meinem .{2,80}gesendet.{0,20})\W*$"
)
_LIST_FOOTER = (
    r"mailing list\s*$|^You received this message because you are subscribed to"
    r"|^To unsubscribe (?:from this|send|,)|^https?://\S{1,80}/mailman/listinfo/"
)
_FORWARD_SUBJECT = rf"^\s*{FORWARD_PREFIX}"
_MAX_SIGNATURE_LINES = 15
_MAX_FOOTER_LENGTH = 300  # characters of a line
_COLONS = (":", "\uff1a")
_POSSIBLE_QUOTE_START = (  # a superset of the patterns of quoted text
    r"\W*(?:>|--|(?:On|At|Am|Um|Le|El|Il|Op|Em|A|No|Den|På|W|Dne|From|Von|De|Da|Van|Från|Fra|Od|От"
    r"|发件人|差出人|Begin|Anfang|Début|Inicio)\b)"
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def remove_quoted_text(text: str, subject: str = "") -> str:
    """Return the text without quoted history, signature and list footer; forwarded mail stays.

    If nothing else would be left, the text stays whole; so does forwarded mail below a subject
    that starts with "Fwd:".
    """
    lines = [line.rstrip() for line in text.split("\n", MAX_LINES)[:MAX_LINES]]
    own, forwarded = _unquoted_lines(
        lines, is_forward=bool(_compiled(_FORWARD_SUBJECT).match(subject))
    )
    written = _join_lines(_without_signature(own) + forwarded)
    return written or _join_lines(lines)


def _unquoted_lines(lines: Sequence[str], *, is_forward: bool) -> tuple[list[str], list[str]]:
    """Return the lines that are not history, and the forwarded lines below them."""
    own: list[str] = []
    number = 0
    may_quote = _compiled(_POSSIBLE_QUOTE_START).match
    while number < len(lines):
        line = lines[number]
        if not line.endswith(_COLONS) and not may_quote(line):
            own.append(line)
            number += 1
            continue
        if _compiled(_FORWARDED).match(line) or (is_forward and _starts_history(lines, number)):
            return own, list(lines[number:])
        if _starts_history(lines, number):
            return own[: _rule_above(own, len(own))], []
        length = _attribution_length(lines, number)
        end = number + length
        if length and not _is_quoted(next(filter(str.strip, lines[end : end + 4]), "")):
            if _is_unmistakable(lines[number:end], lines[end:]):
                return own, []
            length = 0
        if not length and not _is_quoted(line):
            own.append(line)
        number += max(length, 1)
    return own, []


def _starts_history(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    if _compiled(_SEPARATOR).match(line):
        return True
    if not _compiled(_FROM_LINE).match(line):
        return False
    block = lines[number + 1 : number + 8]
    return any(map(_compiled(_BLOCK_LINE).match, block)) and any(
        map(_compiled(_SUBJECT_LINE).match, block)
    )


def _attribution_length(lines: Sequence[str], number: int) -> int:
    """Return the number of lines of the "On … wrote:" that starts here, or 0."""
    if not lines[number].strip() or _is_quoted(lines[number]):
        return 0
    for length in (1, 2, 3):
        last = lines[number + length - 1 : number + length]
        if (
            not last
            or not last[0].strip()
            or (length > 1 and _compiled(_ATTRIBUTION_START).match(last[0]))
        ):
            return 0
        joined = " ".join(line.strip() for line in lines[number : number + length])
        if joined.endswith(_COLONS):
            is_attribution = _compiled(_ATTRIBUTION).match(joined) or _compiled(
                _LOOSE_ATTRIBUTION
            ).match(joined)
            return length if len(joined) < 400 and is_attribution else 0
        if not _compiled(_ATTRIBUTION_START).match(joined):
            return 0
    return 0


def _is_unmistakable(attribution: Sequence[str], below: Sequence[str]) -> bool:
    """Whether the attribution is certain enough for history without ">" below it."""
    joined = " ".join(line.strip() for line in attribution)
    return bool(
        _compiled(_ATTRIBUTION).match(joined)
        and re.search(_TIME_OR_ADDRESS, joined)
        and not any(map(_is_quoted, below))
    )


def _is_quoted(line: str) -> bool:
    return line.startswith((">", " >"))


def _without_signature(lines: Sequence[str]) -> list[str]:
    end = len(lines)
    is_footer, is_mobile = _compiled(_LIST_FOOTER).search, _compiled(_MOBILE_SIGNATURE).match
    for number in range(len(lines) - 1, max(len(lines) - 40, -1), -1):
        line = lines[number]
        if line == "--" and end - number <= _MAX_SIGNATURE_LINES + 1:
            end = number
        elif len(line) <= _MAX_FOOTER_LENGTH and (
            is_footer(line) or (is_mobile(line) and not _join_lines(lines[number + 1 : end]))
        ):
            end = _rule_above(lines, number)
    return list(lines[:end])


def _rule_above(lines: Sequence[str], number: int) -> int:
    """Return the number of the line drawn above a footer, if there is one."""
    above = lines[number - 1] if number else ""
    return number - 1 if re.fullmatch(r"[_\-=*]{5,}", above.strip()) else number


def _join_lines(lines: Sequence[str]) -> str:
    text = "\n".join(lines)
    return (re.sub(r"\n{3,}", "\n\n", text) if "\n\n\n" in text else text).strip()
