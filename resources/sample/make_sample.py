#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes Heddle's sample corpus: English sentences and their translations into Weft, a language invented for it.

    python3 make_sample.py [FOLDER]        # default: this script's folder

The result depends on nothing but this file: the same six files on every machine and Python 3. README.md describes the language.
A sentence is drawn as a tree and spoken twice, in English and in Weft, so that every English sentence has one translation.
"""
import pathlib
import random
import sys

SEED = 20240613
SIZES = {"train": 4000, "valid": 200, "test": 200}

# English singular, plural; Weft stem. The gender of a noun shows in all that agrees with it.
NOUNS = {
    "m": [("farmer", "farmers", "talm"), ("dog", "dogs", "huv"), ("king", "kings", "torr"), ("horse", "horses", "kaval"),
          ("boy", "boys", "pil"), ("baker", "bakers", "pann"), ("wolf", "wolves", "vark"), ("sailor", "sailors", "marin")],
    "f": [("cat", "cats", "mish"), ("queen", "queens", "rell"), ("girl", "girls", "sen"), ("river", "rivers", "dun"),
          ("teacher", "teachers", "lekt"), ("singer", "singers", "vokal"), ("mother", "mothers", "amm"), ("star", "stars", "astr")],
    "n": [("child", "children", "kib"), ("bird", "birds", "piv"), ("house", "houses", "dom"), ("tree", "trees", "arb"),
          ("letter", "letters", "skrib"), ("boat", "boats", "nav"), ("book", "books", "libr"), ("lamb", "lambs", "bel")],
}
THINGS = {"river", "star", "house", "tree", "letter", "boat", "book"}  # seen, carried, stood behind; they do nothing
ADJECTIVES = [("big", "grand"), ("small", "pet"), ("old", "vet"), ("young", "jun"), ("red", "rud"), ("black", "nig"),
              ("happy", "glad"), ("tired", "lass"), ("quiet", "kvi"), ("strong", "fort")]
# English third person, plain form, past; Weft stem.
TRANSITIVE = [("sees", "see", "saw", "vid"), ("hears", "hear", "heard", "aud"), ("follows", "follow", "followed", "sekv"),
              ("helps", "help", "helped", "jut"), ("loves", "love", "loved", "am"), ("finds", "find", "found", "trov"),
              ("carries", "carry", "carried", "port"), ("draws", "draw", "drew", "pikt")]
INTRANSITIVE = [("sleeps", "sleep", "slept", "dorm"), ("sings", "sing", "sang", "kant"), ("runs", "run", "ran", "kurr"),
                ("laughs", "laugh", "laughed", "rid"), ("falls", "fall", "fell", "kad"), ("dances", "dance", "danced", "salt"),
                ("swims", "swim", "swam", "nat"), ("shouts", "shout", "shouted", "klam")]
SAYING = [("knows", "know", "knew", "sav"), ("says", "say", "said", "dik"), ("hopes", "hope", "hoped", "sper")]
PLACES = [("near", "apo"), ("behind", "post"), ("under", "sub"), ("with", "kum")]
CONJUNCTIONS = [("because", "par"), ("when", "kan"), ("although", "mal"), ("if", "se")]

VOWEL = {"m": "o", "f": "a", "n": "u"}
VERB = {"m": "an", "f": "en", "n": "in"}


def ending(noun):
    """What article, noun, adjective and relative pronoun end in: o a u, plural oi ai ui."""
    return VOWEL[noun["gender"]] + ("i" if noun["plural"] else "")


class Grammar:
    def __init__(self, seed):
        # random() alone is the same in every version of Python.
        self.random = random.Random(seed).random

    def chance(self, probability):
        return self.random() < probability

    def choose(self, options):
        return options[int(self.random() * len(options))]

    # Trees -------------------------------------------------------------------------------------------------------------

    def noun_phrase(self, acts, depth):
        """A noun with determiner and adjectives, now and then with a relative clause (depth: how many more may nest)."""
        gender = self.choose("mfn")
        nouns = [n for n in NOUNS[gender] if not (acts and n[0] in THINGS)]
        plural = self.chance(0.4)
        noun = {"gender": gender, "plural": plural, "noun": self.choose(nouns),
                "determiner": self.choose(["the", "the", "the", "some", "these", "two", "three"] if plural else
                                          ["the", "the", "the", "a", "a", "this", "every"]),
                "adjectives": [], "relative": None}
        for _ in range(self.choose([0, 0, 0, 1, 1, 2])):
            adjective = self.choose(ADJECTIVES)
            if adjective not in noun["adjectives"]:
                noun["adjectives"].append(adjective)
        if depth > 0 and self.chance(0.3):
            noun["relative"] = self.relative(noun, acts)
        return noun

    def relative(self, head, acts):
        """Subject relative ("that sees the cat", "that sleeps near the river") or object relative ("that the king sees")."""
        if acts and self.chance(0.6):
            return {"role": "subject", "clause": self.clause(0, subject=head)}
        clause = self.clause(0, verbs=TRANSITIVE)
        clause["object"] = None
        return {"role": "object", "clause": clause}

    def clause(self, depth, subject=None, verbs=None):
        verbs = verbs or self.choose([TRANSITIVE, TRANSITIVE, INTRANSITIVE])
        clause = {"subject": subject or self.noun_phrase(True, depth), "verb": self.choose(verbs), "past": self.chance(0.4),
                  "negated": self.chance(0.2), "object": None, "place": None}
        if verbs is TRANSITIVE:
            clause["object"] = self.noun_phrase(False, depth)
        elif verbs is INTRANSITIVE and self.chance(0.35):
            clause["place"] = (self.choose(PLACES), self.noun_phrase(False, 0))
        return clause

    def sentence(self):
        kind = self.random()
        if kind < 0.5:
            return {"kind": "plain", "main": self.clause(1)}
        if kind < 0.6:
            return {"kind": "question", "main": self.clause(1)}
        if kind < 0.75:
            return {"kind": "saying", "main": self.clause(0, verbs=SAYING), "inner": self.clause(0)}
        return {"kind": "after" if kind < 0.88 else "before", "main": self.clause(0), "conjunction": self.choose(CONJUNCTIONS),
                "inner": self.clause(0)}


# English -------------------------------------------------------------------------------------------------------------------

def english_noun(noun):
    words = [a[0] for a in noun["adjectives"]] + [noun["noun"][1 if noun["plural"] else 0]]
    determiner = noun["determiner"]
    if determiner == "a" and words[0][0] in "aeiou":
        determiner = "an"
    words.insert(0, determiner)
    if noun["relative"]:
        words += ["that"] + english_clause(noun["relative"]["clause"], with_subject=noun["relative"]["role"] == "object")
    return words


def english_auxiliary(clause):
    return "did" if clause["past"] else "do" if clause["subject"]["plural"] else "does"


def english_rest(clause):
    words = english_noun(clause["object"]) if clause["object"] else []
    if clause["place"]:
        words += [clause["place"][0][0]] + english_noun(clause["place"][1])
    return words


def english_clause(clause, with_subject=True):
    third, plain, past, _ = clause["verb"]
    words = english_noun(clause["subject"]) if with_subject else []
    if clause["negated"]:
        words += [english_auxiliary(clause), "not", plain]
    else:
        words.append(past if clause["past"] else plain if clause["subject"]["plural"] else third)
    return words + english_rest(clause)


def english(sentence):
    main, kind = sentence["main"], sentence["kind"]
    if kind == "question":
        negation = ["not"] if main["negated"] else []
        words = [english_auxiliary(main)] + english_noun(main["subject"]) + negation + [main["verb"][1]] + english_rest(main) + ["?"]
    elif kind == "saying":
        words = english_clause(main) + ["that"] + english_clause(sentence["inner"]) + ["."]
    elif kind == "after":
        words = english_clause(main) + [sentence["conjunction"][0]] + english_clause(sentence["inner"]) + ["."]
    elif kind == "before":
        words = [sentence["conjunction"][0]] + english_clause(sentence["inner"]) + [","] + english_clause(main) + ["."]
    else:
        words = english_clause(main) + ["."]
    return " ".join(words)


# Weft ----------------------------------------------------------------------------------------------------------------------

def weft_noun(noun):
    """Determiner, noun, adjectives from the nearest to the farthest, number word, relative clause; all agree."""
    end = ending(noun)
    article = {"the": "l", "a": "n", "some": "n", "this": "s", "these": "s", "every": "v"}.get(noun["determiner"])
    words = [article + end] if article else []
    words.append(noun["noun"][2] + end)
    words += [a[1] + end for a in reversed(noun["adjectives"])]
    words += {"two": ["duo"], "three": ["tri"]}.get(noun["determiner"], [])
    if noun["relative"]:
        relative = noun["relative"]
        words += [("ki" if relative["role"] == "subject" else "kem") + end]
        words += weft_subordinate(relative["clause"], with_subject=relative["role"] == "object")
    return words


def weft_verb(clause):
    """The verb agrees with its subject in gender and number; "ja" is the past, "ne" the first half of a negation."""
    subject = clause["subject"]
    verb = clause["verb"][3] + VERB[subject["gender"]] + ("t" if subject["plural"] else "")
    return (["ne"] if clause["negated"] else []) + (["ja"] if clause["past"] else []) + [verb]


def weft_place(clause):
    """Places stand before what English calls a preposition."""
    return weft_noun(clause["place"][1]) + [clause["place"][0][1]] if clause["place"] else []


def weft_object(clause):
    return weft_noun(clause["object"]) if clause["object"] else []


def negation_end(clause):
    return ["nop"] if clause["negated"] else []


def weft_main(clause, inverted=False):
    """Subject, verb, object, place; behind a subordinate clause the verb comes first. "nop" closes a negated clause."""
    subject, verb = weft_noun(clause["subject"]), weft_verb(clause)
    return (verb + subject if inverted else subject + verb) + weft_object(clause) + weft_place(clause) + negation_end(clause)


def weft_subordinate(clause, with_subject=True):
    """Subject, place, object, verb."""
    subject = weft_noun(clause["subject"]) if with_subject else []
    return subject + weft_place(clause) + weft_object(clause) + weft_verb(clause) + negation_end(clause)


def weft(sentence):
    main, kind = sentence["main"], sentence["kind"]
    if kind == "question":
        words = ["esk"] + weft_main(main) + ["?"]
    elif kind == "saying":
        words = weft_main(main) + ["ke"] + weft_subordinate(sentence["inner"]) + ["."]
    elif kind == "after":
        words = weft_main(main) + [sentence["conjunction"][1]] + weft_subordinate(sentence["inner"]) + ["."]
    elif kind == "before":
        words = [sentence["conjunction"][1]] + weft_subordinate(sentence["inner"]) + [","] + weft_main(main, inverted=True) + ["."]
    else:
        words = weft_main(main) + ["."]
    return " ".join(words)


def make_pairs(count):
    """`count` different English sentences of at most 24 words, with their translations."""
    grammar, pairs = Grammar(SEED), {}
    while len(pairs) < count:
        sentence = grammar.sentence()
        source = english(sentence)
        if len(source.split()) > 24:
            continue
        target = weft(sentence)
        assert pairs.setdefault(source, target) == target, f"two translations of: {source}"
    return list(pairs.items())


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parent
    pairs = make_pairs(sum(SIZES.values()))
    for split, size in SIZES.items():
        part, pairs = pairs[:size], pairs[size:]
        for side, language in enumerate(("en", "weft")):
            text = "".join(pair[side] + "\n" for pair in part)
            with open(folder / f"{split}.{language}", "w", encoding="utf-8", newline="\n") as file:
                file.write(text)


if __name__ == "__main__":
    main()
