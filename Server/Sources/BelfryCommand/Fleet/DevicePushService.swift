import BelfryModel
import Foundation

/// A push service as a device uses it: it issues tokens and delivers pushes.
protocol DevicePushService: Sendable {
    /// Issues a token. A browser's token is the text of its subscription.
    func issueToken() async throws -> String
    /// Makes a token that the server accepts but the push service never issued.
    func makeForeignToken(_ number: Int) async throws -> String
    /// Invalidates a token, because the app was deleted.
    func unregister(_ token: String) async throws
    /// The pushes that arrive for a token, as JSON that the SDK reads, for as long as the device listens.
    func pushes(for token: String) async throws -> AsyncStream<Data>
}

/// The push services of a fleet's devices, by provider.
typealias DevicePushServices = [PushProvider: any DevicePushService]

enum DevicePushServiceError: Error, CustomStringConvertible {
    case rejected(path: String, status: Int)
    case unreadable(path: String)
    case noService(PushProvider)
    case noSubscription

    var description: String {
        switch self {
        case .rejected(let path, let status): "The push service simulator responded with \(status) to \(path)."
        case .unreadable(let path): "The push service simulator's response to \(path) has an unexpected form."
        case .noService(let provider): "There is no simulated push service for \(provider.rawValue)."
        case .noSubscription: "A browser's token is not its subscription."
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// Converts each element for the device. It stops reading when the stream has no reader.
    func read(_ reading: @escaping @Sendable (Element) -> Data?) -> AsyncStream<Data> {
        AsyncStream<Data> { continuation in
            let listening = Task {
                for await element in self {
                    if let data = reading(element) { continuation.yield(data) }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in listening.cancel() }
        }
    }
}

extension BrowserSubscription {
    /// Reads the token that a simulated browser has registered.
    init(token: String) throws(DevicePushServiceError) {
        guard let subscription = BrowserSubscription(text: token) else { throw .noSubscription }
        self = subscription
    }

    /// The simulator's id for the subscription: the last path segment of its endpoint.
    var simulatorID: String {
        String(endpoint[nameStart...])
    }

    /// The same browser with an endpoint that its push service does not know.
    func renamed(_ name: String) -> BrowserSubscription {
        BrowserSubscription(endpoint: endpoint[..<nameStart] + name, keys: keys)
    }

    private var nameStart: String.Index {
        endpoint.utf8.lastIndex(of: UInt8(ascii: "/")).map { endpoint.utf8.index(after: $0) } ?? endpoint.startIndex
    }
}

/// An FCM message in the form in which Android passes it to an app.
enum FCMArrival {
    /// The message's data, together with the notification's title and body.
    static func json(data: [String: String], title: String?, body: String?) throws -> Data {
        var object: [String: Any] = data
        let shown = ["title": title, "body": body].compactMapValues { $0 }
        if !shown.isEmpty { object["notification"] = shown }
        return try JSONSerialization.data(withJSONObject: object)
    }
}
