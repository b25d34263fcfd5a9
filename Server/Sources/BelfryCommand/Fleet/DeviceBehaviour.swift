/// How one simulated device and its person behave.
struct DeviceBehaviour: Hashable, Sendable {
    enum Consent: Hashable, Sendable {
        case granted
        /// Switched off in the app.
        case appSwitch
        /// Denied to the operating system.
        case denied
    }

    enum Token: Hashable, Sendable {
        case valid
        /// The app is deleted after it has registered.
        case unregistered
        /// What no push service ever gave.
        case malformed
    }

    var consent = Consent.granted
    var token = Token.valid
    /// It is killed before the campaign, and comes back after it.
    var isKilled = false
    /// The person opens what is shown.
    var opens = false
    var city = "Paris"
    var tag: String?

    /// A crowd with some of everybody: of a hundred, five say no in the app and five to the system, five have deleted
    /// the app, five hold a malformed token, ten are killed and come back, and more than half open what they see.
    static func ofCrowd(_ index: Int) -> DeviceBehaviour {
        var behaviour = DeviceBehaviour()
        switch index % 20 {
        case 1: behaviour.consent = .appSwitch
        case 6: behaviour.consent = .denied
        case 11: behaviour.token = .unregistered
        case 16: behaviour.token = .malformed
        case 3, 13: behaviour.isKilled = true
        default: break
        }
        behaviour.opens = index % 5 < 3
        behaviour.city = ["Paris", "Berlin", "Lisbon"][index % 3]
        behaviour.tag = index % 2 == 0 ? "sports" : nil
        return behaviour
    }
}
