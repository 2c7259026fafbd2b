"""Words that several English patterns share."""

from __future__ import annotations

from recollect.language.extract.values import clean, thing

AM = r"(?:i'm|i am|im)"
HAVE = r"(?:i've|i have|i)"
VERY = (
    r"(?:(?:really|also|absolutely|generally|usually|mostly|mainly|always|still|just"
    r"|personally|currently|now|often|do|strongly"
    r"|definitely|particularly|especially|kind of|quite|actually|normally|typically"
    r"|primarily|truly|much|simply|both)\s+){0,3}"
)
ROLE = (
    r"engineer|developer|programmer|designer|teacher|doctor|nurse|lawyer|student"
    r"|manager|scientist|analyst|architect|consultant|writer|dev"
    r"|journalist|accountant|professor|researcher|chef|pilot|dentist|pharmacist"
    r"|artist|musician|photographer|freelancer|founder|ceo|cto"
    r"|entrepreneur|dba|sysadmin|administrator|tester|translator|editor|librarian"
    r"|therapist|psychologist|biologist|physicist|chemist"
    r"|economist|electrician|mechanic|plumber|carpenter|farmer|baker|barista"
    r"|bartender|waiter|waitress|paramedic|firefighter|vet|veterinarian"
    r"|lecturer|intern|contractor|technician|recruiter|marketer|salesperson|producer"
    r"|director|actor|actress|coach|trainer|devops|sre|postdoc"
    r"|mathematician|statistician|surgeon|physician|radiologist|cardiologist"
    r"|nutritionist|banker|trader|investor|broker|tutor|grad student|undergrad"
    r"|illustrator|animator|composer|novelist|poet|copywriter|blogger|streamer"
    r"|podcaster|auditor|actuary|geologist|astronomer|soldier|officer|judge"
    r"|paralegal|secretary|receptionist|cashier|driver|tailor|florist|gardener"
    r"|sailor|midwife|optometrist|principal|social worker|stay-at-home (?:mom|dad"
    r"|parent)"
)
DIET = (
    r"vegetarian|vegan|pescatarian|(?:lactose|gluten)[ -]intolerant|gluten[- ]free"
    r"|keto|halal|kosher"
)


def company(text: str) -> str:
    value = clean(text)
    stop = {
        "home",
        "fun",
        "free",
        "money",
        "a",
        "an",
        "the",
        "myself",
        "night",
        "least",
        "it",
        "them",
        "him",
        "her",
        "me",
        "you",
        "that",
        "this",
        "now",
        "once",
    }
    return "" if value.lower() in stop else thing(value)
