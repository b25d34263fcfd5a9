import Foundation

extension InspectorView.Section {
    /// Sentences on the app's process, the network and the push service.
    ///
    /// - Parameters:
    ///   - outage: the start of the server's outage, with its last failure; nil: the server answers.
    ///   - wantsToken: whether the app waits for its push token.
    ///   - now: the real time, not the phone's.
    static func app(
        _ system: PhoneSystem, outage: (since: Date, failure: String)?, wantsToken: Bool, now: Date
    ) -> Self {
        let process =
            switch system.process {
            case .notRunning: "The app was not opened since the phone was switched on."
            case .killed: "The app was killed. It starts when somebody opens it."
            case .foreground: "The app is shown."
            case .background: "The app is in the background and still runs for a moment."
            case .suspended: "The app is in memory and suspended: the SDK does nothing."
            }
        let network = system.isOnline ? "The phone has a network." : "The phone is in airplane mode."
        let outage = outage.map { outage in
            let age = Duration(now.timeIntervalSince(outage.since)).words
            return "The server has not answered for \(age): what the SDK keeps is sent when it does. \(outage.failure)"
        }
        let pushService: String? =
            system.hasPushService ? nil : "The push service does not answer: pushes come when it does."
        let token = wantsToken ? awaitedToken(isOnline: system.isOnline) : nil
        let push = system.held.map { keptPush($0, now: now) }
        return Self(title: "The app", lines: [process, network, outage, pushService, token, push].compactMap(\.self))
    }

    private static func awaitedToken(isOnline: Bool) -> String {
        isOnline
            ? "The app has asked for a push token: it gets it as soon as the push service gives one."
            : "The app has asked for a push token: it gets it when the phone has a network."
    }

    private static func keptPush(_ push: PushArrival, now: Date) -> String {
        push.hasExpired(at: now)
            ? "The push that APNs has kept has expired meanwhile: it is not delivered."
            : "APNs keeps one push until the phone has a network."
    }
}
