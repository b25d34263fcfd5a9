import BelfryModel
import Foundation

/// A push service as a device sees it: it gives tokens and brings pushes.
protocol DevicePushService: Sendable {
    /// A browser's token is the text of its subscription.
    func issueToken() async throws -> String
    /// A token that the server takes, and that the service never gave.
    func makeForeignToken(_ number: Int) async throws -> String
    /// The app was deleted: the token is no longer valid.
    func unregister(_ token: String) async throws
    /// The pushes that arrive for a token, as JSON that the SDK reads, as long as the device listens.
    func pushes(for token: String) async throws -> AsyncStream<Data>
}

/// The push services that the devices of a fleet may have their tokens from.
typealias DevicePushServices = [PushProvider: any DevicePushService]

enum DevicePushServiceError: Error, CustomStringConvertible {
    case refused(path: String, status: Int)
    case unreadable(path: String)
    case noService(PushProvider)
    case noSubscription

    var description: String {
        switch self {
        case .refused(let path, let status): "The push service simulator responded with \(status) to \(path)."
        case .unreadable(let path): "The push service simulator's response to \(path) has an unexpected form."
        case .noService(let provider): "There is no simulated push service for \(provider.rawValue)."
        case .noSubscription: "A browser's token is not its subscription."
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// What a device makes of each element; it listens no more when nobody reads.
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
    /// Reads the token that a simulated browser registered.
    init(token: String) throws(DevicePushServiceError) {
        guard let subscription = BrowserSubscription(text: token) else { throw .noSubscription }
        self = subscription
    }

    /// What the simulator calls the subscription: the last part of its endpoint.
    var simulatorID: String {
        String(endpoint[nameStart...])
    }

    /// The same browser, at an endpoint that its push service has never heard of.
    func renamed(_ name: String) -> BrowserSubscription {
        BrowserSubscription(endpoint: endpoint[..<nameStart] + name, keys: keys)
    }

    private var nameStart: String.Index {
        endpoint.lastIndex(of: "/").map { endpoint.index(after: $0) } ?? endpoint.startIndex
    }
}

/// A message of FCM as Android hands it to an app.
enum FCMArrival {
    /// The keys of its data, and beside them what the notification shows.
    static func json(data: [String: String], title: String?, body: String?) throws -> Data {
        var object: [String: Any] = data
        let shown = ["title": title, "body": body].compactMapValues { $0 }
        if !shown.isEmpty { object["notification"] = shown }
        return try JSONSerialization.data(withJSONObject: object)
    }
}
