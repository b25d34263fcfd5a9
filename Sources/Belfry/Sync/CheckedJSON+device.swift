import BelfryModel
import Foundation

extension CheckedJSON {
    /// The body of an answer: no Belfry server's is longer than what a transport takes. What a request brought stands
    /// deeper in it than in the request, among others of its kind.
    static func answer(_ body: Data) throws(JSONGrammarError) -> CheckedJSON {
        try CheckedJSON(
            body, maximumBytes: URLSessionTransport.maximumAnswerBytes, maximumDepth: JSONGrammar.deepest
        )
    }

    /// The body of an answer, decoded.
    static func answer<Value: Decodable>(_ type: Value.Type, _ body: Data) throws -> Value {
        try answer(body).decode(type)
    }

    /// What the device has written itself, from what the app and the server said.
    static func stored<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        try decode(type, from: data, maximumBytes: maximumStoredBytes, maximumDepth: JSONGrammar.deepest)
    }

    /// A record, or what is remembered of messages, is far from it.
    private static let maximumStoredBytes = 67_108_864
}
