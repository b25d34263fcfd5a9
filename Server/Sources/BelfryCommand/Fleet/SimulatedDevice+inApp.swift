import Belfry
import BelfryModel

extension SimulatedDevice {
    /// A person who opens pushes presses the first button of a message. Everybody else, and a person who finds no
    /// button, closes it.
    static func person(of behaviour: DeviceBehaviour) -> ScriptedInAppPresenter.Person {
        { page in
            guard behaviour.opens, let button = page.message.content.buttons?.first else { return [.close(.close)] }
            return [.click(buttonID: button.id)]
        }
    }

    /// Brings the app to the foreground, where it stays: messages are shown only then.
    func open() async throws {
        try await client?.didEnterForeground()
    }

    /// Tracks an event that a message may wait for.
    func track(_ event: String) async throws {
        try await client?.track(event)
    }

    /// Uploads the recorded events.
    func report() async throws {
        try await client?.flush()
    }

    /// The version of a campaign's message on the device; nil when there is none.
    func inAppVersion(of campaign: String) async throws -> Int? {
        try await client?.inAppMessages.first { $0.campaignID == campaign }?.version
    }

    /// The in-app results so far; nil while the app is not running.
    func inAppSight() async throws -> InAppSight? {
        guard let client else { return nil }
        var sight = InAppSight(wasWoken: wasWoken)
        for page in screen.notes.presented {
            sight.shown[page.message.campaignID, default: []].append(page.message.version)
        }
        sight.held = Set(try await client.inAppMessages.map(\.campaignID))
        return sight
    }
}

/// What a device and its person have seen of in-app messages.
struct InAppSight: Hashable, Sendable {
    /// Whether a silent push told the device to fetch.
    var wasWoken = false
    /// The message versions that were on the screen, by campaign and in order.
    var shown: [String: [Int]] = [:]
    /// The campaigns whose messages are on the device now.
    var held: Set<String> = []
}
