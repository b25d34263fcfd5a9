import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation

/// Decodes a body. The code that reads the request bounds it; this checks its grammar (WIRE-23, SEC-6).
enum JSONBody {
    /// - Parameter zone: the time zone of dates without an offset (ADM-2); nil: such dates are rejected. Every invalid
    ///   date is named once all other fields are valid (ADM-3).
    static func decode<Body: Decodable>(
        _ type: Body.Type, from bytes: [UInt8], datesIn zone: DateZone? = nil
    ) throws(APIError) -> Body {
        do {
            let (body, unreadable) = try read(type, from: bytes, zone)
            let error = APIError(.badRequest, errors: unreadable) { date in
                let dateError = APIError(date)
                return ErrorBody.Detail(code: dateError.code, message: dateError.message, target: dateError.target)
            }
            if let error { throw error }
            return body
        } catch let error as APIError {
            throw error
        } catch let error as JSONGrammarError {
            throw APIError(JSONError(error))
        } catch {
            throw apiError(error)
        }
    }

    private static func read<Body: Decodable>(
        _ type: Body.Type, from bytes: [UInt8], _ zone: DateZone?
    ) throws -> (value: Body, unreadable: [DecodingError]) {
        do {
            return try decoded(type, bytes, zone)
        } catch let error as JSONGrammarError {
            throw error
        } catch {
            // The decoder fails at a null inside a dictionary, though null means absent.
            guard let tree = try? BodyTree(bytes).withoutNulls else { throw error }
            do {
                return try decoded(type, tree.bytes, zone)
            } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
                throw decodingError(of: type, in: tree, zone) ?? DecodingError.dataCorrupted(context)
            }
        }
    }

    private static func decoded<Body: Decodable>(
        _ type: Body.Type, _ bytes: [UInt8], _ zone: DateZone?
    ) throws -> (value: Body, unreadable: [DecodingError]) {
        let json = try json(bytes)
        guard let zone else { return (try json.decode(type), []) }
        return try json.decodePastDates(type, in: zone)
    }

    /// The decoder does not say which number does not fit its field, but it does for a text. So numbers are replaced by
    /// texts, and put back where a fraction is valid.
    private static func decodingError<Body: Decodable>(
        of type: Body.Type, in tree: BodyTree, _ zone: DateZone?
    ) -> DecodingError? {
        var fractions: Set<[String]> = []
        while true {
            do {
                _ = try decoded(type, tree.withFractionsAsText(besides: fractions).bytes, zone)
                return nil
            } catch DecodingError.typeMismatch(let expected, let context) where expected == Double.self {
                let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
                guard fractions.count < Self.maximumFractions, fractions.insert(path).inserted else { return nil }
            } catch {
                return error as? DecodingError
            }
        }
    }

    /// The maximum number of fields with fractions in a body.
    private static let maximumFractions = 8

    private static func json(_ bytes: [UInt8]) throws(JSONGrammarError) -> CheckedJSON {
        // JSONReader, which reads other bodies, rejects a byte order mark too.
        guard bytes.first != 0xef else { throw .malformed(offset: 0, expected: "a value") }
        // The bytes were counted when they arrived and when they were decompressed.
        return try CheckedJSON(Data(bytes), maximumBytes: .max, maximumDepth: WireLimits.maximumJSONDepth)
    }

    private static func apiError(_ error: any Error) -> APIError {
        if let error = error as? DecodingError { return APIError(error) }
        return APIError(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cannot be read")))
    }
}
