import NIOCore
import Synchronization

/// The browsers that use Mozilla's push protocol, with their subscriptions, also while they are offline.
final class BrowserRegistry: Sendable {
    /// The maximum number of browsers.
    static let maximumBrowsers = 10_000
    /// The maximum number of subscriptions of one browser.
    static let maximumChannels = 100

    private struct Subscribed: Sendable {
        let token: DeviceTokenKey
        let key: String?
    }

    private struct Browser: Sendable {
        var channels: [String: Subscribed] = [:]
        var connection: (any Channel)?
    }

    /// The result of a browser's hello.
    struct Arrival: Sendable {
        let browser: String
        let channels: [String: DeviceTokenKey]
        /// The browser's previous connection, which must be closed.
        let former: (any Channel)?
    }

    /// The result of a request for a subscription.
    enum Registration: Sendable, Equatable {
        case done(DeviceTokenKey)
        /// The channel belongs to another application server.
        case conflict
        case tooMany
    }

    private let browsers = Mutex<[String: Browser]>([:])

    /// The number of connected browsers.
    var connected: Int { browsers.withLock { $0.values.count { $0.connection != nil } } }

    /// A browser says hello; nil: there are too many browsers.
    ///
    /// - Parameters:
    ///   - known: its previous id here. An unknown id is replaced.
    ///   - name: creates an id.
    func arrive(_ known: String?, on connection: any Channel, name: () -> String) -> Arrival? {
        browsers.withLock { browsers in
            if let known, var browser = browsers[known] {
                let former = browser.connection
                browser.connection = connection
                browsers[known] = browser
                return Arrival(browser: known, channels: browser.channels.mapValues(\.token), former: former)
            }
            guard browsers.count < Self.maximumBrowsers else { return nil }
            let name = name()
            browsers[name] = Browser(connection: connection)
            return Arrival(browser: name, channels: [:], former: nil)
        }
    }

    /// The connection has ended. A browser without subscriptions is forgotten, because it will not send its id again.
    func leave(_ browser: String, from connection: any Channel) {
        browsers.withLock { browsers in
            guard browsers[browser]?.connection === connection else { return }
            browsers[browser]?.connection = nil
            if browsers[browser]?.channels.isEmpty == true { browsers[browser] = nil }
        }
    }

    /// - Parameter subscribe: creates the subscription.
    func register(
        _ channel: String, of browser: String, key: String?, subscribe: () -> DeviceTokenKey
    ) -> Registration {
        browsers.withLock { browsers in
            let channels = browsers[browser]?.channels ?? [:]
            if let there = channels[channel] { return there.key == key ? .done(there.token) : .conflict }
            guard channels.count < Self.maximumChannels else { return .tooMany }
            let token = subscribe()
            browsers[browser]?.channels[channel] = Subscribed(token: token, key: key)
            return .done(token)
        }
    }

    /// Returns the ended subscription; nil: there is none.
    func unregister(_ channel: String, of browser: String) -> DeviceTokenKey? {
        browsers.withLock { $0[browser]?.channels.removeValue(forKey: channel)?.token }
    }
}
