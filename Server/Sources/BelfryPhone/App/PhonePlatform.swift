import Belfry
import BelfryModel
import Foundation

/// The platform of the SDK on a simulated phone; a real iPhone has `ApplePlatform`.
struct PhonePlatform: DevicePlatform {
    let phone: any PhoneHost
    let screen: PhoneScreen
    private let stream: AsyncStream<PlatformEvent>
    private let continuation: AsyncStream<PlatformEvent>.Continuation

    init(phone: any PhoneHost, screen: PhoneScreen) {
        self.phone = phone
        self.screen = screen
        let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        stream = made.stream
        continuation = made.continuation
    }

    func send(_ event: PlatformEvent) {
        continuation.yield(event)
    }

    func end() {
        continuation.finish()
    }

    func systemProperties() async -> SystemProperties { await phone.systemProperties }
    func isInForeground() async -> Bool { await phone.isAppShown }
    func events() -> AsyncStream<PlatformEvent> { stream }
    func pushPermission() async -> PushPermission? { await phone.permission }
    var pushTokens: (any PushTokenSource)? { self }
    var badge: (any BadgeDisplay)? { self }
    var deliveredPushes: (any DeliveredPushes)? { self }
    var inAppPresenter: (any InAppPresenter)? { screen }
    var linkOpener: (any LinkOpener)? { self }
}

extension PhonePlatform: PushTokenSource, BadgeDisplay, DeliveredPushes, LinkOpener {
    func requestPushToken() async { await phone.issueToken() }
    func showBadge(_ count: Int) async -> Bool { await phone.setBadge(count) }
    func shownBadge() async -> Int? { await phone.shownBadge }
    func pushes() async -> [ReceivedPush] { await phone.deliveredPushes }
    func removePushes() async { await phone.removeNotifications(onlyBelfrys: true) }
    func removeAll() async { await phone.removeNotifications(onlyBelfrys: false) }
    func open(_ url: URL) async -> Bool { await phone.open(url) }
    func openPushSettings() async -> Bool { await phone.openSettings() }
}
