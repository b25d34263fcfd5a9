import Belfry
import BelfryModel
import Foundation

/// The phone's functions for the app's platform.
protocol PhoneHost: Sendable {
    var systemProperties: SystemProperties { get async }
    var isAppShown: Bool { get async }
    var permission: PushPermission { get async }
    var shownBadge: Int { get async }
    var deliveredPushes: [ReceivedPush] { get async }

    /// Registers with the push service.
    func issueToken() async
    /// - Returns: whether the person allows badges.
    func setBadge(_ count: Int) async -> Bool
    func removeNotifications(onlyBelfrys: Bool) async
    func open(_ url: URL) async -> Bool
    func openSettings() async -> Bool
}

/// An observer of the app: it informs the inspector and the browsers that show the phone.
protocol AppObserver: Sendable {
    func note(_ kind: Inspector.Line.Kind, _ text: String) async
    /// The app has changed a part of the contact record.
    func noteEdit(of part: String) async
    func noteDecision(_ decision: InAppDecisionReport) async
    /// The content of the app's screen has changed.
    func appChanged() async
}
