import BelfryModel
import BelfryWire
import Foundation

/// Decodes a body: bounded by who read the request, held to the grammar here (WIRE-23, SEC-6).
enum JSONBody {
    static func decode<Body: Decodable>(_ type: Body.Type, from bytes: [UInt8]) throws(APIError) -> Body {
        do {
            return try Self.json(bytes).decode(type)
        } catch let error as JSONGrammarError {
            throw APIError(JSONFault(error))
        } catch {
            return try decodeAgain(type, from: bytes, after: error)
        }
    }

    /// A null inside a dictionary stops the decoder; absent it would not have, and null means absent.
    private static func decodeAgain<Body: Decodable>(
        _ type: Body.Type, from bytes: [UInt8], after error: any Error
    ) throws(APIError) -> Body {
        guard let tree = try? BodyTree(bytes).withoutNulls else { throw refusal(error) }
        do {
            return try json(tree.bytes).decode(type)
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw refusal(fault(of: type, in: tree) ?? DecodingError.dataCorrupted(context))
        } catch {
            throw refusal(error)
        }
    }

    /// The decoder does not say which number does not fit its field. A text in the number's place does.
    private static func fault<Body: Decodable>(of type: Body.Type, in tree: BodyTree) -> DecodingError? {
        do {
            _ = try json(tree.withFractionsAsText.bytes).decode(type)
            return nil
        } catch {
            return error as? DecodingError
        }
    }

    private static func json(_ bytes: [UInt8]) throws(JSONGrammarError) -> CheckedJSON {
        // JSONReader, which reads other bodies, takes no byte order mark either.
        guard bytes.first != 0xef else { throw .malformed(offset: 0, expected: "a value") }
        // The request's bytes were counted as they came, and as they were inflated.
        return try CheckedJSON(Data(bytes), maximumBytes: .max, maximumDepth: WireLimits.maximumJSONDepth)
    }

    private static func refusal(_ error: any Error) -> APIError {
        if let error = error as? DecodingError { return APIError(error) }
        return APIError(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cannot be read")))
    }
}
