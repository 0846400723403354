/**
 * Conversions in decimal digits, as logs spell them, so that converting back gives the same digits.
 * As `rlmetrics.logs.decimals`; every scale of the spec is a decimal, but for rounding.
 */
"use strict";

(function (T) {
  const NUMBER = /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/;
  /** Up to which power of ten decimals are written without an exponent. */
  const WRITTEN_OUT = 16;
  const ROUNDING = 2 ** -50;

  /** @typedef {{minus: boolean, digits: bigint, power: number}} Decimal */

  /** Return the number that a text spells; null if it is none. @returns {Decimal|null} */
  function decimal(text) {
    const found = NUMBER.exec(text);
    if (!found || !(found[2] || found[3])) return null;
    return { minus: found[1] === "-", digits: BigInt(found[2] + found[3]), power: Number(found[4] || 0) - found[3].length };
  }

  const signed = ({ minus, digits }) => (minus ? -digits : digits);

  /** Return the whole number that a scale was rounded from, if it is one. */
  function unrounded(scale) {
    const near = Math.round(scale);
    return near && Math.abs(near - scale) <= Math.abs(scale) * ROUNDING ? near : scale;
  }

  /** Return `scale * value + offset`. @returns {Decimal} */
  function converted(value, scale, offset) {
    const by = decimal(String(unrounded(scale)));
    let [digits, power] = [value.digits * by.digits, value.power + by.power];
    let minus = value.minus !== by.minus;
    if (offset) {
      const more = decimal(String(offset));
      const least = Math.min(power, more.power);
      const raised = (number, from) => number * 10n ** BigInt(from - least);
      const sum = raised(minus ? -digits : digits, power) + raised(signed(more), more.power);
      [minus, digits, power] = [sum < 0n, sum < 0n ? -sum : sum, least];
    }
    if (digits === 0n) return { minus, digits, power: 0 };
    while (digits % 10n === 0n) [digits, power] = [digits / 10n, power + 1];
    return { minus, digits, power };
  }

  /** Return a number as JSON, with all its digits. */
  function spelled({ minus, digits, power }) {
    if (digits === 0n) return minus ? "-0.0" : "0";
    const [sign, text] = [minus ? "-" : "", digits.toString()];
    const adjusted = text.length - 1 + power;
    // As Python does, a number is written out, too, if all its digits stand before the point.
    if (Math.abs(adjusted) > WRITTEN_OUT && (power > 0 || adjusted < -6)) {
      const rest = text.length > 1 ? `.${text.slice(1)}` : "";
      return `${sign}${text[0]}${rest}E${adjusted < 0 ? "-" : "+"}${Math.abs(adjusted)}`;
    }
    if (power >= 0) return sign + text + "0".repeat(power);
    const whole = text.padStart(1 - power, "0");
    return `${sign}${whole.slice(0, power)}.${whole.slice(power)}`;
  }

  /** Return a number as Python prints floats, with all its digits. */
  function printed(value) {
    const text = float(Number(spelled(value)));
    const back = decimal(text);
    return back && spelled(converted(back, 1, 0)) === spelled(value) ? text : spelled(value);
  }

  /** Return a float as Python prints it. */
  function float(number) {
    if (Number.isInteger(number) && Math.abs(number) < 1e16) return Object.is(number, -0) ? "-0.0" : `${number}.0`;
    const [mantissa, exponent] = number.toExponential().split("e");
    const power = Number(exponent);
    if (power < -4 || power >= 16) return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    const plain = spelled(decimal(String(number)));
    return plain.includes(".") ? plain : `${plain}.0`;
  }

  /** Ways of writing a converted number: as JSON, and as Python prints it (integers stay integers). */
  const STYLES = {
    json: spelled,
    python: (value, text) => (/^[-+]?\d+$/.test(text) ? spelled(value) : printed(value)),
    csv: printed,
  };

  /**
   * Return a spelled number converted; what is no finite number stays as it is, but for the sign of an infinity.
   * @param {string} text
   * @param {{scale: number, offset: number}} transform
   * @param {"json"|"python"|"csv"} style
   */
  T.convert = (text, { scale, offset }, style) => {
    const wrapped = /^([\w.]*\(|['"])?([^()'"]*)(\)|['"])?$/.exec(text);
    if (!wrapped) return text;
    const [, before = "", number, after = ""] = wrapped;
    const value = decimal(number);
    if (value) {
      const found = converted(value, scale, offset);
      const quoted = style === "python" && (before === "'" || before === '"');
      return before + (quoted ? general(Number(spelled(found))) : STYLES[style](found, number)) + after;
    }
    const infinite = /^([-+]?)(inf|Infinity)$/i.exec(number);
    if (!infinite || scale > 0) return text;
    return `${before}${infinite[1] === "-" ? "" : "-"}${infinite[2]}${after}`;
  };

  /** Return a number with four significant digits, as transformers 5 prints it. */
  function general(number) {
    const [mantissa, exponent] = number.toExponential(3).split("e");
    const power = Number(exponent);
    const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
    if (power < -4 || power >= 4) return `${bare(mantissa)}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
    return bare(number.toFixed(Math.max(0, 3 - power)));
  }

  /** Tell whether two spelled values are equal; not a number equals itself. */
  T.sameValue = (first, second) => {
    if (first === second) return true;
    const values = [first, second].map((text) => (text === null ? null : decimal(text.replace(/^[\w.]*\(|\)$/g, ""))));
    return values.every(Boolean) && spelled(converted(values[0], 1, 0)) === spelled(converted(values[1], 1, 0));
  };
})(window.rlmetricsTranslator);
