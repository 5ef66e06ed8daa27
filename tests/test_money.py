"""Money is exact: read as written, never misread, never added across currencies."""

from decimal import Decimal
from fractions import Fraction

import pytest
from conftest import each_row
from hypothesis import given
from hypothesis import strategies as st

from buildcheck.model.money import CODES, SIGNS, WHOLE, Money, read_money, sums

CENTS = st.integers(min_value=0, max_value=99_999_999_999)
COINED = st.sampled_from(sorted(CODES - WHOLE))


@given(CENTS, COINED)
def test_what_is_printed_reads_as_the_same(cents, code):
    money = Money(Decimal(cents).scaleb(-2), code)
    assert read_money(str(money)) == money


@given(st.lists(st.tuples(CENTS, st.sampled_from(["EUR", "USD", "CHF"]))))
def test_sums_are_exact_and_apart(amounts):
    """Against whole cents and fractions: nothing is rounded, no currency leaks into another."""
    found = {
        m.currency: m.amount
        for m in sums(Money(Decimal(c).scaleb(-2), code) for c, code in amounts)
    }
    for code in ("EUR", "USD", "CHF"):
        cents = sum(c for c, of in amounts if of == code)
        assert Fraction(found.get(code, 0)) == Fraction(cents, 100)


@given(st.text(max_size=50))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    """Nothing else is raised, and what is read is finite and in a real currency."""
    try:
        money = read_money(text)
    except ValueError as error:
        assert len(str(error)) > 10  # noqa: PT017 - both ways are right
    else:
        assert money.amount.is_finite()
        assert money.currency in CODES


@each_row
def test_amounts_are_read_as_shops_write_them(text, amount, currency):
    """Code or sign, before or behind, with groups and decimals of any country."""
    assert read_money(text) == (Decimal(amount), currency)


@each_row
def test_what_could_be_misread_is_refused(text, says):
    """With what it could mean, or how to write it."""
    with pytest.raises(ValueError, match=r".") as caught:
        read_money(text)
    assert says in str(caught.value)


def test_signs_stand_for_known_currencies_or_themselves():
    assert all(code in CODES or not code.isupper() for code in SIGNS.values())
    assert WHOLE <= CODES


THREE = ("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND")


@given(CENTS, st.sampled_from(THREE))
def test_currencies_of_three_decimals_are_exact(coins, code):
    """A thousandth is a coin there: written, read and printed as it is."""
    money = Money(Decimal(coins).scaleb(-3), code)
    assert read_money(str(money)) == money
    assert str(money).split(" ")[0].rpartition(".")[2] == f"{coins:03d}"[-3:]


@each_row
def test_advice_about_money_is_sound(text, says):
    """It never tells to write another amount than could be meant."""
    with pytest.raises(ValueError, match=r".") as caught:
        read_money(text)
    assert says in str(caught.value)


@pytest.mark.parametrize("text", ["-0 EUR", "-0.00 EUR", "-0 JPY"])
def test_nothing_has_no_sign(text):
    assert not str(read_money(text)).startswith("-")
