import Foundation
import NIOCore

/// The service behind the connections of browsers: their subscriptions, and the pushes that wait for them.
struct BrowserService: Sendable {
    let reception: WebPushReception
    let browsers: BrowserRegistry
    /// The origin of the endpoints, known once the simulator listens.
    let origin: @Sendable () -> String?

    func arrive(_ known: String?, on connection: any Channel) -> BrowserRegistry.Arrival? {
        browsers.arrive(known, on: connection) {
            String(decoding: reception.random.uuid().utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        }
    }

    /// The response to a request for a subscription, and the subscription.
    func register(
        _ channel: String, of browser: String, key: String?
    ) -> (message: ServiceMessage, token: DeviceTokenKey?) {
        guard let origin = origin() else { return (.rejected(channel: channel, 503), nil) }
        let serverKey: [UInt8]?
        do {
            serverKey = try key.map(SimulatedSubscription.serverKey)
        } catch {
            return (.rejected(channel: channel, 400), nil)
        }
        guard reception.devices.count < WebPushReception.subscriptionLimit else {
            return (.rejected(channel: channel, 503), nil)
        }
        let registration = browsers.register(channel, of: browser, key: key) {
            let token = reception.random.deviceToken()
            reception.devices.add(
                token, SimulatedSubscription(state: .valid, applicationServerKey: serverKey, keys: nil))
            return token
        }
        switch registration {
        case .done(let token):
            let endpoint = origin + WebPushRequestCheck.pathPrefix + token.base64URL
            return (.registered(channel: channel, endpoint: endpoint), token)
        case .conflict: return (.rejected(channel: channel, 409), nil)
        case .tooMany: return (.rejected(channel: channel, 503), nil)
        }
    }

    /// Ends the subscription: its application server gets 410 from now on.
    func unregister(_ channel: String, of browser: String) {
        guard let token = browsers.unregister(channel, of: browser) else { return }
        _ = reception.devices.change(token, keepsWaiting: false) { $0.state = .unsubscribed }
    }

    /// The pushes that wait for the browser. If there are none, the next push completes `news`, without a timeout. Nil:
    /// the subscription no longer exists.
    func waiting(in channel: PushChannel, news: EventLoopPromise<Void>) -> [SimulatedWebPush]? {
        reception.devices.poll(
            channel.token, after: channel.acknowledged, now: reception.now, until: .distantFuture, waiter: news
        )
    }

    /// The browser disconnects; pushes that it has not acknowledged wait for it.
    func leave(_ channel: PushChannel) {
        _ = reception.devices.poll(
            channel.token, after: channel.acknowledged, now: reception.now, until: .distantPast, waiter: nil
        )
    }
}
