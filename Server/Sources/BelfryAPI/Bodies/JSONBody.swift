import Foundation

/// Decodes a body whose JSON was checked.
enum JSONBody {
    static func decode<Body: Decodable>(_ type: Body.Type, from bytes: [UInt8]) throws(APIError) -> Body {
        let data = Data(bytes)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch {
            return try decodeAgain(type, from: data, after: error)
        }
    }

    /// A null inside a dictionary stops the decoder; absent it would not have, and null means absent.
    private static func decodeAgain<Body: Decodable>(
        _ type: Body.Type, from data: Data, after error: any Error
    ) throws(APIError) -> Body {
        guard let tree = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) else {
            throw refusal(error)
        }
        do {
            return try JSONDecoder().decode(type, from: Self.data(of: withoutNulls(tree)))
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            throw refusal(fault(of: type, in: tree) ?? DecodingError.dataCorrupted(context))
        } catch {
            throw refusal(error)
        }
    }

    /// The decoder does not say which number does not fit its field. A text in the number's place does.
    private static func fault<Body: Decodable>(of type: Body.Type, in tree: Any) -> DecodingError? {
        do {
            _ = try JSONDecoder().decode(type, from: data(of: withFractionsAsText(withoutNulls(tree))))
            return nil
        } catch {
            return error as? DecodingError
        }
    }

    private static func refusal(_ error: any Error) -> APIError {
        if let error = error as? DecodingError { return APIError(error) }
        return APIError(DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "cannot be read")))
    }

    private static func data(of tree: Any) throws -> Data {
        try JSONSerialization.data(withJSONObject: tree, options: .fragmentsAllowed)
    }

    private static func withoutNulls(_ tree: Any) -> Any {
        switch tree {
        case let object as [String: Any]: object.filter { !($0.value is NSNull) }.mapValues(withoutNulls)
        case let list as [Any]: list.map(withoutNulls)
        default: tree
        }
    }

    private static func withFractionsAsText(_ tree: Any) -> Any {
        switch tree {
        case let object as [String: Any]: object.mapValues(withFractionsAsText)
        case let list as [Any]: list.map(withFractionsAsText)
        case let number as NSNumber: Int64(exactly: number.doubleValue) == nil ? "\(number)" : tree
        default: tree
        }
    }
}
