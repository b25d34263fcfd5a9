import AsyncHTTPClient
import Belfry
import BelfryModel
import Foundation
import NIOCore

/// A client of the control API of push services that are simulated in another process.
struct SimulatorControl: Sendable {
    /// Seconds that one long poll waits.
    private static let patience = 20
    /// Seconds between two attempts to reach simulators that do not answer.
    private static let rest: TimeInterval = 2
    private static let maximumResponseBytes = 1 << 20

    /// An item that a poll returns, numbered in the order of arrival.
    protocol Arrival: Decodable, Sendable {
        var sequence: Int { get }
    }

    let address: String
    /// The HTTP client, with room for one long poll per device.
    let http: HTTPClient
    let environment: DeviceEnvironment

    func post<Response: Decodable>(_ path: String, _ body: some Encodable, as type: Response.Type) async throws
        -> Response
    {
        try decoded(try await call("POST", path, body: try JSONEncoder().encode(body)), path)
    }

    /// Changes the state of a token or a subscription.
    func setState(_ path: String, to state: String) async throws {
        _ = try await call("PUT", path, body: try JSONEncoder().encode(["state": state]))
    }

    /// The items that arrive, as JSON that the SDK reads.
    func arrivals<Item: Arrival>(
        _ path: String, as type: Item.Type, _ reading: @escaping @Sendable (Item) -> Data?
    ) -> AsyncStream<Data> {
        stream(path, as: type, reading)
    }

    /// The items that arrive, as converted by `reading`, until the token is no longer known.
    func stream<Item: Arrival, Output: Sendable>(
        _ path: String, as type: Item.Type, _ reading: @escaping @Sendable (Item) -> Output?
    ) -> AsyncStream<Output> {
        let polls = polls(path, for: type)
        return AsyncStream { continuation in
            let listening = Task {
                await polls.run(after: 0) { news in
                    guard case .arrived(let items) = news else { return }
                    for item in items {
                        if let output = reading(item) { continuation.yield(output) }
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }

    /// A repeated poll for the items of a device.
    func polls<Item: Arrival>(_ path: String, for type: Item.Type) -> RepeatedPoll<Item> {
        RepeatedPoll(
            poll: { try await poll(path, after: $0) },
            pause: { await environment.sleep(environment.now().addingTimeInterval(Self.rest)) }
        )
    }

    /// Polls once for a device's items after a sequence number. The simulator waits a while for them.
    private func poll<Item: Arrival>(_ path: String, after newest: Int) async throws -> [Item] {
        let answer = try await call("GET", "\(path)?after=\(newest)&wait=\(Self.patience)", body: nil)
        return try decoded(answer, path)
    }

    private func decoded<Response: Decodable>(_ body: Data, _ path: String) throws -> Response {
        do {
            return try CheckedJSON.decode(Response.self, from: body, maximumBytes: Self.maximumResponseBytes)
        } catch {
            throw DevicePushServiceError.unreadable(path: path)
        }
    }

    private func call(_ method: String, _ path: String, body: Data?) async throws -> Data {
        var request = HTTPClientRequest(url: address + path)
        request.method = .RAW(value: method)
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let timeout = TimeAmount.seconds(Int64(Self.patience) + 10)
        let answer = try await http.exchange(
            request, upTo: Self.maximumResponseBytes, deadline: .now() + timeout
        )
        guard (200..<300).contains(answer.status) else {
            throw DevicePushServiceError.rejected(path: path, status: answer.status)
        }
        return Data(answer.body.readableBytesView)
    }
}
