import Foundation

@testable import Belfry

/// The way to the server over a year.
struct YearWeather: Sendable {
    enum Mood: String, Sendable {
        /// Everything works, except that the server now and then rejects a registration for good.
        case fair
        case perfect
        /// Nothing arrives.
        case away
        /// Much gets lost, one way or the other.
        case shaky
        /// Everything is answered with 503, at times with a wish for patience.
        case busy
        /// Calls of one kind are answered with 503, and no others.
        case stubborn
    }

    /// The path of those that a stubborn server refuses.
    let rejected = Locked("/client/registration")

    let mood = Locked(Mood.fair)
    let chance: Chance

    func outcome(of attempt: Wire.Attempt) -> Wire.Outcome {
        let isRegistration = attempt.name == World.registration
        switch mood.withLock({ $0 }) {
        case .perfect: return .delivered
        case .away: return .lost
        case .fair:
            let isRejected = isRegistration && chance.unit() < 0.03
            return isRejected ? .answered(FakeServer.error(400, "invalidBody")) : .delivered
        case .shaky:
            let share = chance.unit()
            return share < 0.4 ? .lost : share < 0.6 ? .answerLost : .delivered
        case .busy:
            let wish = ["Retry-After": "\(30 + chance.next() % 7_200)"]
            return .answered(FakeServer.error(503, "busy", headers: chance.unit() < 0.2 ? wish : [:]))
        case .stubborn:
            let isRejected = attempt.path == rejected.withLock { $0 }
            return isRejected ? .answered(FakeServer.error(503, "busy")) : .delivered
        }
    }
}

extension Wire.Attempt {
    /// `/client/events`: the name without the method and what is asked.
    var path: String {
        String(name.drop { $0 != "/" }.prefix { $0 != "?" })
    }
}
