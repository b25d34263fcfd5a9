import BelfryModel
import Foundation

extension CheckedJSON {
    /// The checked body of a response, of at most the transport's maximum size. Data from a request is nested deeper in
    /// a response than in the request, because it is in lists.
    static func response(_ body: Data) throws(JSONGrammarError) -> CheckedJSON {
        try CheckedJSON(
            body, maximumBytes: HTTPTransport.maximumResponseBytes, maximumDepth: JSONGrammar.deepest
        )
    }

    /// The body of a response, decoded.
    static func response<Value: Decodable>(_ type: Value.Type, _ body: Data) throws -> Value {
        try response(body).decode(type)
    }

    /// Data that the device stored itself, with contents from the app and the server.
    static func stored<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        try decode(type, from: data, maximumBytes: maximumStoredBytes, maximumDepth: JSONGrammar.deepest)
    }

    /// The maximum size in bytes, far above the size of a record or of the in-app state.
    private static let maximumStoredBytes = 67_108_864
}
