import AsyncHTTPClient
import BelfrySimulators
import BelfryWire
import Foundation
import NIOCore

/// The push service as a device sees it: it gives tokens and brings notifications.
protocol DevicePushService: Sendable {
    func issueToken() async throws -> String
    /// The app was deleted: the token is no longer valid.
    func unregister(_ token: String) async throws
    /// The payloads that arrive for a token, as long as the device listens.
    func notifications(for token: String) async throws -> AsyncStream<Data>
}

/// A simulator in this process.
struct LocalPushService: DevicePushService {
    let simulator: APNsSimulator
    let topic: String
    let now: @Sendable () -> Date

    func issueToken() async throws -> String {
        simulator.issueToken(topic: topic, environment: .production)
    }

    func unregister(_ token: String) async throws {
        try simulator.setState(of: token, to: .unregistered(since: now()))
    }

    func notifications(for token: String) async throws -> AsyncStream<Data> {
        let arrivals = try simulator.notifications(for: token)
        return AsyncStream { continuation in
            let listening = Task {
                for await notification in arrivals { continuation.yield(Data(notification.payload)) }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }
}

/// A simulator in another process, over its control API.
struct RemotePushService: DevicePushService {
    /// Seconds that one poll waits.
    private static let patience = 20

    let control: String
    let topic: String
    /// With room for one long poll for each device.
    let http: HTTPClient

    private struct TokenBody: Codable {
        var topic: String
        var environment = "production"
    }

    private struct StateBody: Codable {
        var state: String
    }

    private struct Token: Codable {
        var token: String
    }

    private struct Notification: Codable {
        var sequence: Int
        var payload: String
    }

    func issueToken() async throws -> String {
        let answer = try await call("POST", "/tokens", body: JSONEncoder().encode(TokenBody(topic: topic)))
        return try JSONDecoder().decode(Token.self, from: answer).token
    }

    func unregister(_ token: String) async throws {
        _ = try await call("PUT", "/tokens/\(token)", body: JSONEncoder().encode(StateBody(state: "unregistered")))
    }

    func notifications(for token: String) async throws -> AsyncStream<Data> {
        AsyncStream { continuation in
            let listening = Task {
                var newest = 0
                while !Task.isCancelled {
                    guard let answer = try? await poll(token, after: newest) else { break }
                    for notification in answer {
                        newest = max(newest, notification.sequence)
                        continuation.yield(Data(notification.payload.utf8))
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }

    private func poll(_ token: String, after newest: Int) async throws -> [Notification] {
        let answer = try await call(
            "GET", "/tokens/\(token)/notifications?after=\(newest)&wait=\(Self.patience)", body: nil
        )
        return try JSONDecoder().decode([Notification].self, from: answer)
    }

    private func call(_ method: String, _ path: String, body: Data?) async throws -> Data {
        var request = HTTPClientRequest(url: control + path)
        request.method = .RAW(value: method)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let timeout = TimeAmount.seconds(Int64(Self.patience) + 10)
        let response = try await http.execute(request, timeout: timeout)
        guard (200..<300).contains(response.status.code) else {
            throw DevicePushServiceError.refused(path: path, status: Int(response.status.code))
        }
        return Data(try await response.body.collect(upTo: 1 << 20).readableBytesView)
    }
}

enum DevicePushServiceError: Error, CustomStringConvertible {
    case refused(path: String, status: Int)

    var description: String {
        switch self {
        case .refused(let path, let status): "The push service simulator answered \(status) to \(path)."
        }
    }
}
