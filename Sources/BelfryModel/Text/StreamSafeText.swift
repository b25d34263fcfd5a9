import Foundation

/// Text in Unicode's Stream-Safe Format (UAX #15, D4): nowhere more than 30 consecutive combining marks.
///
/// Swift compares and hashes texts by canonical equivalence: it sorts the marks after a letter, by insertion. A
/// megabyte of marks after one letter took 136 s for one hash (SEC-7). So texts from outside are made stream-safe when
/// they are read, with Unicode's own process: an invisible combining grapheme joiner divides longer sequences. No text
/// in any language has that many marks.
public enum StreamSafeText {
    public static let longestRun = 30

    private static let joiner: Unicode.Scalar = "\u{34F}"
    private static let joinerBytes = Array(String(joiner).utf8)
    /// The first byte, in UTF-8, of U+0300: lower characters are not marks.
    private static let firstLead: UInt8 = 0xcc

    /// The text with joiners where necessary.
    public static func make(of text: String) -> String {
        guard !isSafe(text) else { return text }
        var run = Run()
        var safe = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if run.isFull(before: scalar) { safe.append(joiner) }
            safe.append(scalar)
        }
        return String(safe)
    }

    /// Whether a text needs no joiner.
    public static func isSafe(_ text: String) -> Bool {
        guard text.utf8.contains(where: { $0 >= firstLead }) else { return true }
        var run = Run()
        return !text.unicodeScalars.contains { run.isFull(before: $0) }
    }

    /// JSON with joiners in the texts that need them, also where the marks are written as escapes.
    ///
    /// - Parameter json: JSON that ``JSONGrammar`` accepts.
    static func make(ofJSON json: Data) -> Data {
        json.withUnsafeBytes { bytes in
            let scalars = JSONScalars(bytes.bindMemory(to: UInt8.self))
            return scalars.mayHaveMarks ? scalars.joined : nil
        } ?? json
    }

    /// A sequence of consecutive marks.
    private struct Run {
        private var count = 0

        /// Whether a joiner is needed before the next scalar. Counts the scalar.
        mutating func isFull(before scalar: Unicode.Scalar) -> Bool {
            let marks = Self.marks(in: scalar)
            count = marks == 0 ? 0 : count + marks
            guard count > StreamSafeText.longestRun else { return false }
            count = marks
            return true
        }

        /// The number of marks in the decomposed scalar; 0 when it begins with a letter.
        private static func marks(in scalar: Unicode.Scalar) -> Int {
            switch scalar.value {
            case 0..<0x300: 0
            // Only these decompose to marks without being one (`NonStarterDecompositions`, UAX #15), or to two.
            case 0x344, 0xf73, 0xf75, 0xf81: 2
            default: scalar.properties.canonicalCombiningClass == .notReordered ? 0 : 1
            }
        }
    }

    /// The scalars of the texts in JSON.
    private struct JSONScalars {
        let bytes: UnsafeBufferPointer<UInt8>

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
        }

        var mayHaveMarks: Bool {
            var index = 0
            while index < bytes.count {
                if let eight = EightBytes(bytes, at: index) {
                    let letters = eight.unescapedASCII
                    index += letters
                    guard letters < 8 else { continue }
                }
                guard bytes[index] < StreamSafeText.firstLead, bytes[index] != UInt8(ascii: "\\") else { return true }
                index += 1
            }
            return false
        }

        /// The JSON with joiners; nil when it needs none.
        var joined: Data? {
            var safe: Data?
            var run = Run()
            var index = 0
            var copied = 0
            while index < bytes.count {
                // Letters end a sequence of marks.
                if let letters = EightBytes(bytes, at: index)?.unescapedASCII, letters > 0 {
                    run = Run()
                    index += letters
                    continue
                }
                let (scalar, length) = piece(at: index)
                if run.isFull(before: scalar) {
                    var begun = safe ?? Data(capacity: bytes.count + bytes.count / 16)
                    safe = nil
                    begun.append(contentsOf: bytes[copied..<index])
                    begun.append(contentsOf: StreamSafeText.joinerBytes)
                    safe = begun
                    copied = index
                }
                index += length
            }
            safe?.append(contentsOf: bytes[copied...])
            return safe
        }

        private func piece(at index: Int) -> (scalar: Unicode.Scalar, length: Int) {
            let first = UInt32(bytes[index])
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                guard let unit = unit(at: index) else { return ("\\", 2) }
                guard UTF16.isLeadSurrogate(unit), let second = self.unit(at: index + 6),
                    UTF16.isTrailSurrogate(second)
                else { return (scalar(UInt32(unit)), 6) }
                return (scalar(0x1_0000 + (UInt32(unit) - 0xd800) << 10 + (UInt32(second) - 0xdc00)), 12)
            case 0xc2..<0xe0: return (scalar((first & 0x1f) << 6 | rest(index + 1)), 2)
            case 0xe0..<0xf0: return (scalar((first & 0xf) << 12 | rest(index + 1) << 6 | rest(index + 2)), 3)
            case 0xf0...:
                let value = (first & 0x7) << 18 | rest(index + 1) << 12 | rest(index + 2) << 6 | rest(index + 3)
                return (scalar(value), 4)
            default: return (Unicode.Scalar(bytes[index]), 1)
            }
        }

        /// The bits of a continuation byte.
        private func rest(_ index: Int) -> UInt32 {
            index < bytes.count ? UInt32(bytes[index] & 0x3f) : 0
        }

        /// The scalar; half of a surrogate pair counts as a letter.
        private func scalar(_ value: UInt32) -> Unicode.Scalar {
            Unicode.Scalar(value) ?? "\u{FFFD}"
        }

        /// The code unit of an escape that begins here.
        private func unit(at index: Int) -> UInt16? {
            guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            else { return nil }
            return bytes[(index + 2)..<(index + 6)].reduce(0) { unit, digit in
                unit << 4 | UInt16(digit.hexDigitValue)
            }
        }
    }
}
