import AsyncHTTPClient
import BelfryModel
import BelfryWire
import Foundation
import NIOCore

/// Speaks the admin API for the commands.
struct AdminClient: Sendable {
    static let timeout = TimeAmount.seconds(30)
    static let maximumAnswerBytes = 16 * 1_048_576

    enum Method: String {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case delete = "DELETE"
    }

    let server: String
    let key: AdminKey
    let http: HTTPClient
    /// Names a write, so that the server does it once however often it comes (ADM-3).
    let newWriteKey: @Sendable () -> String

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try decoded(try await call(.get, path, body: nil))
    }

    func send<Answer: Decodable>(
        _ method: Method, _ path: String, _ body: (some Encodable)?, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decoded(try await call(method, path, body: try body.map { try JSONEncoder().encode($0) }))
    }

    /// Sends JSON as it was written.
    func send<Answer: Decodable>(
        _ method: Method, _ path: String, json: Data, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try decoded(try await call(method, path, body: json))
    }

    /// Asks for something that needs no body and answers none.
    func post(_ path: String) async throws {
        _ = try await call(.post, path, body: nil)
    }

    func delete(_ path: String) async throws {
        _ = try await call(.delete, path, body: nil)
    }

    /// The body of a success.
    private func call(_ method: Method, _ path: String, body: Data?) async throws -> Data {
        var request = HTTPClientRequest(url: server + path)
        request.method = .RAW(value: method.rawValue)
        request.headers.add(name: "Authorization", value: "Bearer \(key.text)")
        // Lists pack so well that the library takes a packed one for an attack.
        request.headers.add(name: "Accept-Encoding", value: "identity")
        if method != .get { request.headers.add(name: HeaderNames.idempotencyKey, value: newWriteKey()) }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let (status, answer) = try await exchange(request, isWrite: method != .get)
        guard (200..<300).contains(status) else {
            throw AdminClientError(
                status: status, body: try? CheckedJSON.decode(ErrorBody.self, from: answer), server: server, key: key
            )
        }
        return answer
    }

    /// Asks a second time when the connection was lost: by its key, a write is done once all the same.
    private func exchange(_ request: HTTPClientRequest, isWrite: Bool) async throws -> (status: Int, body: Data) {
        do {
            return try await attempt(request)
        } catch NoAnswer.lost(_) {
            do {
                return try await attempt(request)
            } catch let fault as NoAnswer {
                throw AdminClientError.noAnswer(server: server, fault, mayBeDone: isWrite)
            }
        } catch let fault as NoAnswer {
            throw AdminClientError.noAnswer(server: server, fault, mayBeDone: isWrite && fault.mayBeDone)
        }
    }

    private func attempt(_ request: HTTPClientRequest) async throws -> (status: Int, body: Data) {
        do {
            let response = try await http.execute(request, timeout: Self.timeout)
            let body = try await response.body.collect(upTo: Self.maximumAnswerBytes)
            return (Int(response.status.code), Data(body.readableBytesView))
        } catch {
            // Whoever is told to stop was not refused an answer.
            try Task.checkCancellation()
            throw NoAnswer(error)
        }
    }

    private func decoded<Answer: Decodable>(_ body: Data) throws -> Answer {
        do {
            // In a list, a draft stands deeper than in the request that brought it.
            return try CheckedJSON.decode(
                Answer.self, from: body, maximumBytes: Self.maximumAnswerBytes, maximumDepth: JSONGrammar.deepest
            )
        } catch {
            throw AdminClientError.foreign(server: server, status: nil)
        }
    }
}

extension AdminClient {
    static let liveWriteKey: @Sendable () -> String = { UUID().uuidString }

    /// A client of a server that this program has started itself.
    init(server: String, key: String) {
        self.init(
            server: server, key: AdminKey(text: key, source: .program), http: .shared, newWriteKey: Self.liveWriteKey
        )
    }
}
