import Foundation

/// A step of a recorded story of an app's life.
enum StoryStep: Hashable, Sendable {
    case pass(TimeInterval)
    /// An event with that name, and so many bytes more than it needs.
    case track(String, bytes: Int = 0)
    case identify(String)
    case logout
    case token(String)
    case permission(Bool)
    case city(String)
    case tag(String)
    /// A visible push arrives; the person opens it; the person dismisses it.
    case push(String)
    case open(String)
    case dismiss(String)
    case background
    case foreground
    case flush
    /// The process ends and another one starts.
    case relaunch
    /// From now on the server, or the way to it, is in that mood.
    case mood(Mood)
    /// The server no longer takes the contact tokens that it has given.
    case tokensExpire
    /// The platform tells that the network is back.
    case online

    /// How the way to the server is.
    enum Mood: String, Hashable, Sendable {
        case well
        /// Everything is answered with 503.
        case busy
        /// Nothing arrives.
        case away
    }

    /// An app does not track the same thing again because it died meanwhile. Everything else it does again: it logs in
    /// and hands the token over at each start, and repeats what the person or the system asks for again.
    var isRepeated: Bool {
        guard case .track = self else { return true }
        return false
    }
}

extension StoryStep {
    /// Events that the story's server rejects, as a whole batch or alone.
    static let poison = "poison"
    static let rejected = "rejected"
    /// Bytes that the server of the story takes at once: three large events are too many.
    static let maximumBody = 4_000

    /// A day of an app: it is installed, used, put away, brought back, logged in, out and in again; pushes come, the
    /// server has a bad time, the network is gone for a while.
    static let day: [StoryStep] = arrival + trouble + absence + farewell

    private static let arrival: [StoryStep] = [
        .track("first"), .permission(true), .token("0abcff"), .pass(5), .city("Paris"), .tag("sports"), .pass(20),
        .push("S-1"), .open("S-1"), .identify("anna"), .track("second"), .pass(35), .city("Lyon"), .pass(40),
    ]
    private static let trouble: [StoryStep] = [
        .mood(.busy), .track("third"), .city("Nice"), .flush, .pass(70), .pass(200), .mood(.well), .pass(900),
        .tokensExpire, .track("fourth"), .track(rejected), .flush, .track("large", bytes: 1_500),
        .track("larger", bytes: 1_600), .track(poison), .track("largest", bytes: 1_700), .track("fifth"), .flush,
    ]
    private static let absence: [StoryStep] = [
        .background, .pass(10), .foreground, .track("sixth"), .background, .pass(31), .push("S-2"), .track("behind"),
        .pass(31), .foreground, .open("S-2"), .tag("chess"), .identify("anna"), .flush, .pass(61),
    ]
    private static let farewell: [StoryStep] = [
        .logout, .track("nobody's"), .city("Oslo"), .pass(61), .mood(.away), .identify("bert"), .track("seventh"),
        .tag("art"), .push("S-3"), .dismiss("S-3"), .pass(300), .relaunch, .track("eighth"), .mood(.well), .online,
        .pass(90), .track("last"), .flush,
    ]

    /// Whatever went wrong before: with a well server, and time for every back-off, everything is settled. Everything
    /// that leaves at the end leaves twice, should the device die the first time.
    static let end: [StoryStep] = [
        .mood(.well), .foreground, .online, .pass(700), .pass(700), .pass(700), .pass(700), .pass(700), .pass(700),
        .background, .pass(31), .flush, .pass(1_000), .flush,
    ]

    /// The events that the day tracks, in order.
    static let tracked: [String] = day.compactMap { step in
        guard case .track(let name, bytes: _) = step else { return nil }
        return name
    }
}
