import Belfry
import BelfryModel

extension SimulatedDevice {
    /// Who opens pushes presses the first button of a message; everybody else, and whoever finds no button, closes it.
    static func person(of behaviour: DeviceBehaviour) -> ScriptedInAppPresenter.Person {
        { page in
            guard behaviour.opens, let button = page.message.content.buttons?.first else { return [.close(.close)] }
            return [.click(buttonID: button.id)]
        }
    }

    /// The app comes to the foreground and stays there: only then messages are shown.
    func open() async throws {
        try await client?.didEnterForeground()
    }

    /// Something happens in the app that a message may wait for.
    func track(_ event: String) async throws {
        try await client?.track(event)
    }

    /// What was recorded leaves.
    func report() async throws {
        try await client?.flush()
    }

    /// The version of a campaign's message on the device; nil when there is none.
    func inAppVersion(of campaign: String) async throws -> Int? {
        try await client?.inAppMessages.first { $0.campaignID == campaign }?.version
    }

    /// What there was of in-app messages so far; nil while the app is not running.
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

/// What a device and its person have had of in-app messages.
struct InAppSight: Hashable, Sendable {
    /// A silent push told the device to fetch.
    var wasWoken = false
    /// The versions that were on the screen, by campaign and in order.
    var shown: [String: [Int]] = [:]
    /// The campaigns whose messages are on the device now.
    var held: Set<String> = []
}
