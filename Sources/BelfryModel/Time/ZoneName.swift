import Foundation

/// The name of a time zone in a text from outside (SEC-6): `Europe/Paris`, `UTC`, `CET`, `+01:00`, `GMT+1`.
///
/// All zones from such texts are made here. Foundation itself reads offsets after `GMT` and `UTC` and traps on some
/// invalid ones (`GMT+01:Z0`), so no text with more after these letters is passed to it: offsets are parsed here.
public struct ZoneName: Hashable, Sendable {
    /// The maximum length in bytes. The longest IANA name has half as many.
    public static let maximumLength = 64
    /// The maximum offset in seconds.
    public static let maximumOffset = 18 * 3600

    /// The original text.
    public let text: String
    /// Seconds east of UTC, if the text is an offset and not a name.
    public let offset: Int?
    public let timeZone: TimeZone

    /// Nil for a text that is neither a name nor an offset, and for a name that this system does not know.
    public init?(_ text: String) {
        guard (1...Self.maximumLength).contains(text.utf8.count) else { return nil }
        let bytes = Array(text.utf8)
        if let offset = Self.offset(bytes[...]) {
            guard let zone = TimeZone(secondsFromGMT: offset) else { return nil }
            (self.offset, timeZone) = (offset, zone)
        } else if Self.namesUTC(bytes) {
            (offset, timeZone) = (nil, .gmt)
        } else {
            guard Self.isName(bytes), let zone = TimeZone(identifier: text) else { return nil }
            (offset, timeZone) = (nil, zone)
        }
        self.text = text
    }

    /// Whether it is the same zone everywhere. An abbreviation such as `CST` stands for several, and an offset is not a
    /// zone.
    public var namesOneZone: Bool {
        offset == nil && (text.utf8.contains(Self.slash) || ["UTC", "GMT", "Z"].contains(text))
    }

    /// Names of UTC that need no check by Foundation.
    private static func namesUTC(_ bytes: [UInt8]) -> Bool {
        ["Z", "UTC", "GMT", "GMT0"].contains { bytes.elementsEqual($0.utf8) }
    }

    // MARK: Names

    /// Whether the bytes are a name: parts joined by slashes, each of which begins with a letter and has letters,
    /// digits, `_`, `+` and `-` (theory of the IANA's database, "Timezone identifiers"). A text that begins with `GMT`
    /// or `UTC` is not a name: Foundation would read it as an offset.
    private static func isName(_ bytes: [UInt8]) -> Bool {
        guard !startsWithUTC(bytes[...], ignoringCase: true) else { return false }
        return bytes.split(separator: slash, omittingEmptySubsequences: false).allSatisfy { part in
            part.first.map(isLetter) == true && part.allSatisfy(isPartOfName)
        }
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == plus || byte == minus
    }

    // MARK: Offsets

    /// The seconds east of UTC of `+1`, `+01`, `+0130`, `+1:30` and `+01:30`, alone or after `GMT` or `UTC`; a full
    /// stop may replace the colon.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        var rest = startsWithUTC(bytes, ignoringCase: false) ? bytes.dropFirst(3) : bytes
        guard let sign = rest.popFirst(), sign == plus || sign == minus, let (hours, minutes) = clock(rest),
            let hours = number(hours), let minutes = number(minutes), minutes < 60
        else { return nil }
        let seconds = hours * 3600 + minutes * 60
        guard seconds <= maximumOffset else { return nil }
        return sign == minus ? -seconds : seconds
    }

    /// The digits of the hours and of the minutes; the latter may be empty.
    private static func clock(_ bytes: ArraySlice<UInt8>) -> (hours: ArraySlice<UInt8>, minutes: ArraySlice<UInt8>)? {
        if let separator = bytes.firstIndex(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }) {
            let (hours, minutes) = (bytes[..<separator], bytes[(separator + 1)...])
            return (1...2).contains(hours.count) && minutes.count == 2 ? (hours, minutes) : nil
        }
        switch bytes.count {
        case 1, 2: return (bytes, [])
        case 4: return (bytes.prefix(2), bytes.suffix(2))
        default: return nil
        }
    }

    /// The value of at most two digits; 0 for none.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    // MARK: Bytes

    private static let slash = UInt8(ascii: "/")
    private static let plus = UInt8(ascii: "+")
    private static let minus = UInt8(ascii: "-")

    private static func startsWithUTC(_ bytes: ArraySlice<UInt8>, ignoringCase: Bool) -> Bool {
        let front = bytes.prefix(3).map { ignoringCase && isLetter($0) ? $0 & 0xdf : $0 }
        return front.elementsEqual("GMT".utf8) || front.elementsEqual("UTC".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- UInt8(ascii: "a") < 26
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") < 10
    }
}

extension ZoneName: CustomStringConvertible {
    public var description: String { text }
}
