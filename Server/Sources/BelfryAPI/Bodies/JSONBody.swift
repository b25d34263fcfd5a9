import BelfryModel
import BelfryServerModel
import BelfryWire
import Foundation

/// Decodes a body: bounded by who read the request, held to the grammar here (WIRE-23, SEC-6).
enum JSONBody {
    /// - Parameter zone: what dates without an offset are in (ADM-2); nil: none is taken. Of dates that cannot be read
    ///   every one is named, once nothing else is at fault (ADM-3).
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
            // A null inside a dictionary stops the decoder; absent it would not have, and null means absent.
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

    /// The decoder does not say which number does not fit its field. A text in the number's place does, and where a
    /// fraction belongs the number is put back.
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

    /// Fields of a body that hold fractions, at most.
    private static let maximumFractions = 8

    private static func json(_ bytes: [UInt8]) throws(JSONGrammarError) -> CheckedJSON {
        // JSONReader, which reads other bodies, takes no byte order mark either.
        guard bytes.first != 0xef else { throw .malformed(offset: 0, expected: "a value") }
        // The request's bytes were counted as they came, and as they were inflated.
        return try CheckedJSON(Data(bytes), maximumBytes: .max, maximumDepth: WireLimits.maximumJSONDepth)
    }

    private static func apiError(_ error: any Error) -> APIError {
        if let error = error as? DecodingError { return APIError(error) }
        return APIError(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cannot be read")))
    }
}
