import ArgumentParser
import AsyncHTTPClient
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
    }

    let server: String
    let key: String

    func get<Answer: Decodable>(_ path: String, as type: Answer.Type = Answer.self) async throws -> Answer {
        try await call(.get, path, body: Data?.none)
    }

    func send<Answer: Decodable>(
        _ method: Method, _ path: String, _ body: (some Encodable)?, as type: Answer.Type = Answer.self
    ) async throws -> Answer {
        try await call(method, path, body: try body.map { try JSONEncoder().encode($0) })
    }

    private func call<Answer: Decodable>(_ method: Method, _ path: String, body: Data?) async throws -> Answer {
        var request = HTTPClientRequest(url: server + path)
        request.method = .RAW(value: method.rawValue)
        request.headers.add(name: "Authorization", value: "Bearer \(key)")
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response: HTTPClientResponse
        do {
            response = try await HTTPClient.shared.execute(request, timeout: Self.timeout)
        } catch {
            throw AdminClientError.unreachable(server: server, reason: "\(error)")
        }
        let answer = Data(try await response.body.collect(upTo: Self.maximumAnswerBytes).readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            let detail = try? JSONDecoder().decode(ErrorBody.self, from: answer).error
            throw AdminClientError.refused(status: Int(response.status.code), detail: detail)
        }
        return try JSONDecoder().decode(Answer.self, from: answer)
    }
}

enum AdminClientError: Error, CustomStringConvertible {
    case noKey(path: String)
    case notAKey(path: String)
    case unreachable(server: String, reason: String)
    case refused(status: Int, detail: ErrorBody.Detail?)

    var description: String {
        switch self {
        case .noKey(let path):
            "No admin key: set BELFRY_ADMIN_KEY, or name its file with --key-file (looked at \(path))."
        case .notAKey(let path): "The file \(path) holds no admin key: one line of visible characters."
        case .unreachable(let server, let reason):
            "The server \(server) does not answer (\(reason)). Is 'belfry serve' running?"
        case .refused(let status, let detail):
            "Refused (\(status)): \(detail?.message ?? "no reason was given")"
                + (detail?.target.map { " [\($0)]" } ?? "")
        }
    }
}

/// Where the server is and which key to show: shared by the commands.
struct AdminOptions: ParsableArguments {
    @Option(help: "The server's address. (default: $BELFRY_SERVER, else http://127.0.0.1:8080)")
    var server: String?

    @Option(help: "The file that holds the admin key. (default: $BELFRY_ADMIN_KEY, else data/admin-key)")
    var keyFile: String?

    @Flag(help: "Print JSON for programs.")
    var json = false

    func client() throws -> AdminClient {
        let environment = ProcessInfo.processInfo.environment
        var address = server ?? environment["BELFRY_SERVER"] ?? "http://127.0.0.1:8080"
        while address.hasSuffix("/") { address.removeLast() }
        return AdminClient(server: address, key: try key(environment))
    }

    private func key(_ environment: [String: String]) throws -> String {
        if keyFile == nil, let key = environment["BELFRY_ADMIN_KEY"], !key.isEmpty { return key }
        let path = keyFile ?? "\(environment["BELFRY_DATA"] ?? "data")/admin-key"
        guard let key = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw AdminClientError.noKey(path: path)
        }
        let trimmed = key.trimmingCharacters(in: .whitespacesAndNewlines)
        // What is no key must not go into a header, nor into a message about it.
        guard !trimmed.isEmpty, trimmed.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw AdminClientError.notAKey(path: path)
        }
        return trimmed
    }

    /// Prints an answer: as JSON for programs, else as the lines that `text` makes.
    func show<Answer: Encodable>(_ answer: Answer, _ text: (Answer) -> String) throws {
        guard json else { return print(text(answer)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(answer), as: UTF8.self))
    }
}

extension String {
    /// As one segment of a path.
    var pathSegment: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_.~"))) ?? self
    }
}
