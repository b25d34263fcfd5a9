import Belfry
import BelfryModel
import Foundation

/// What an app's platform asks the phone, and what it tells it.
protocol PhoneHost: Sendable {
    var systemProperties: SystemProperties { get async }
    var isAppShown: Bool { get async }
    var permission: PushPermission { get async }
    var shownBadge: Int { get async }
    var deliveredPushes: [ReceivedPush] { get async }

    /// The system registers with the push service.
    func issueToken() async
    /// - Returns: whether the person allows numbers on icons.
    func setBadge(_ count: Int) async -> Bool
    func removeNotifications(onlyBelfrys: Bool) async
    func open(_ url: URL) async -> Bool
    func openSettings() async -> Bool
}

/// Who watches the app: the inspector, and the browsers that show the phone.
protocol AppObserver: Sendable {
    func note(_ kind: Inspector.Line.Kind, _ text: String) async
    /// The app has changed a part of the contact record.
    func noteEdit(of part: String) async
    func noteDecision(_ decision: InAppDecisionReport) async
    /// What the app shows has changed.
    func appChanged() async
}
