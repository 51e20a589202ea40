"""What each token of a question weighs."""

import numpy as np

from meetmind.database.retrieval import FoundTerm, Vocabulary
from meetmind.knowledge.questions import read_question
from meetmind.knowledge.token_weights import EMPTY_WORD_WEIGHT, token_weights
from meetmind.knowledge.wording import Wording


def wording_of(text: str, **passages_by_term: int) -> Wording:
    found = []
    for number, (term, passages) in enumerate(passages_by_term.items()):
        found.append(FoundTerm(asked=term, id=number, term=term, passages=passages, is_exact=True))
    vocabulary = Vocabulary(passage_count=100, average_length=50.0, found=tuple(found))
    return Wording(read_question(text), vocabulary)


def test_a_token_weighs_what_its_word_tells_apart() -> None:
    text = "the order of kettles"
    wording = wording_of(text, order=90, kettl=1)
    # the | order | of | kett | les
    offsets = np.array([[0, 3], [4, 9], [10, 12], [13, 17], [17, 20]])

    the, order, of, kett, les = token_weights(text, offsets, wording).tolist()

    assert the == of == np.float32(EMPTY_WORD_WEIGHT)
    assert kett == les
    assert kett > 3 > order


def test_without_a_vocabulary_all_tokens_weigh_the_same() -> None:
    assert token_weights("order", np.array([[0, 3], [3, 5]]), None).tolist() == [1.0, 1.0]


def test_a_text_whose_letters_move_is_weighed_evenly() -> None:
    text = "ﬁve orders"
    weights = token_weights(text, np.array([[0, 3], [4, 10]]), wording_of(text, order=1))

    assert weights.tolist() == [1.0, 1.0]


def test_a_number_that_only_the_whole_text_has_is_rare() -> None:
    text = "满3，000元可用券"
    wording = wording_of(text)
    weights = token_weights(text, np.array([[1, 6], [0, 1]]), wording)

    assert weights[0] > 1
