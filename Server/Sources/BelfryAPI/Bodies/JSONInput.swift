import BelfryModel
import BelfryWire
import Foundation

/// JSON written by a person, checked like a request body, so that the program can report the place of an error before
/// it sends the file.
package enum JSONInput {
    /// Checks that the bytes are one JSON value and nothing else.
    package static func check(_ bytes: [UInt8]) throws(JSONInputError) {
        do {
            try JSONReader.check(bytes)
        } catch {
            throw JSONInputError(error, in: bytes)
        }
    }

    package static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(JSONInputError) -> Value {
        try check(bytes)
        do {
            return try CheckedJSON(Data(bytes), maximumBytes: .max, maximumDepth: WireLimits.maximumJSONDepth)
                .decode(type)
        } catch let error as DecodingError {
            let bodyError = BodyDecodingError(error)
            throw .unfit(field: bodyError.field, reason: bodyError.what)
        } catch {
            throw .unfit(field: nil, reason: "cannot be read")
        }
    }
}

/// An error in JSON written by a person.
package enum JSONInputError: Error, Hashable, Sendable {
    case notUTF8
    case tooDeep
    /// The place where it is no longer valid JSON. Lines and columns count from 1, columns in characters.
    case malformed(line: Int, column: Int, expected: String)
    /// Valid JSON of another shape than expected; the field is nil for the whole.
    case unfit(field: String?, reason: String)

    init(_ error: JSONError, in bytes: [UInt8]) {
        switch error {
        case .notUTF8:
            self = .notUTF8
        case .tooDeep:
            self = .tooDeep
        case .malformed(let offset, let expected):
            let before = bytes.prefix(offset)
            let lineBreak = before.lastIndex(of: UInt8(ascii: "\n"))
            let start = lineBreak.map { $0 + 1 } ?? before.startIndex
            self = .malformed(
                line: before.count { $0 == UInt8(ascii: "\n") } + 1,
                column: String(decoding: before[start...], as: UTF8.self).count + 1, expected: expected
            )
        case .tooMany, .unexpected:
            self = .unfit(field: error.field, reason: error.reason)
        }
    }
}

extension JSONInputError: CustomStringConvertible {
    /// Continues a sentence that begins with the file's name: "is not JSON: …".
    package var description: String {
        switch self {
        case .notUTF8: "is not JSON: it is not UTF-8"
        case .tooDeep: "is nested too deeply"
        case .malformed(let line, let column, let expected):
            "is not JSON: at line \(line), column \(column), expected \(expected)"
        case .unfit(let field?, let reason): "is invalid: \(field): \(reason)"
        case .unfit(nil, let reason): "is invalid: \(reason)"
        }
    }
}
