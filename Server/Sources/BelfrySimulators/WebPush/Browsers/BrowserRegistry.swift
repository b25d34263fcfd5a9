import NIOCore
import Synchronization

/// The browsers that speak Mozilla's push protocol, with their subscriptions, also while they are away.
final class BrowserRegistry: Sendable {
    /// Browsers that are known at once.
    static let maximumBrowsers = 10_000
    /// Subscriptions of one browser.
    static let maximumChannels = 100

    private struct Subscribed: Sendable {
        let token: DeviceTokenKey
        let key: String?
    }

    private struct Browser: Sendable {
        var channels: [String: Subscribed] = [:]
        var connection: (any Channel)?
    }

    /// A browser that has come.
    struct Arrival: Sendable {
        let browser: String
        let channels: [String: DeviceTokenKey]
        /// The connection that it had, which ends.
        let former: (any Channel)?
    }

    /// What becomes of a request for a subscription.
    enum Registration: Sendable, Equatable {
        case done(DeviceTokenKey)
        /// The channel is another application server's.
        case conflict
        case tooMany
    }

    private let browsers = Mutex<[String: Browser]>([:])

    /// How many are connected.
    var connected: Int { browsers.withLock { $0.values.count { $0.connection != nil } } }

    /// A browser says hello; nil: there are too many.
    ///
    /// - Parameters:
    ///   - known: what it was called here before. A name that is unknown is replaced by another.
    ///   - name: makes one.
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

    /// The connection has ended. A browser without subscriptions is forgotten: it does not say its name again.
    func leave(_ browser: String, from connection: any Channel) {
        browsers.withLock { browsers in
            guard browsers[browser]?.connection === connection else { return }
            browsers[browser]?.connection = nil
            if browsers[browser]?.channels.isEmpty == true { browsers[browser] = nil }
        }
    }

    /// - Parameter subscribe: makes the subscription.
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

    /// Gives the subscription that ends; nil: there is none.
    func unregister(_ channel: String, of browser: String) -> DeviceTokenKey? {
        browsers.withLock { $0[browser]?.channels.removeValue(forKey: channel)?.token }
    }
}
