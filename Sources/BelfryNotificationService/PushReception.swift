import Belfry
import BelfryModel
import Foundation

/// What an extension does with a notification before the system shows it.
struct ReceptionDecision: Sendable {
    /// How the notification appears.
    enum Appearance: Hashable, Sendable {
        /// As it was sent; with this badge on the icon, unless it is nil.
        case shown(badge: Int?)
        /// Not at all.
        case hidden
        /// As this text, without anything that was sent.
        case neutral(String)
    }

    let appearance: Appearance
    /// The address of the image to fetch.
    var image: String?
    /// What is to be reported to the server, with the means for it.
    var report: ReceptionReport?
}

/// A push arrives at the extension (PUSH-8). It works on files that need no lock, knows the app only by its brief, and
/// needs neither: without a brief, and where nothing can be stored, the push is shown.
struct PushReception: Sendable {
    let settings: NotificationServiceSettings
    let environment: DeviceEnvironment
    private let folder: SharedFolder?

    init(_ settings: NotificationServiceSettings, _ environment: DeviceEnvironment) {
        self.settings = settings
        self.environment = environment
        let code = try? AppCode(settings.appCode)
        folder = settings.appGroupDirectory.flatMap { directory in
            code.map { SharedFolder(directory, appCode: $0) }
        }
    }

    /// Notes the push for the app and decides how it appears.
    func decide(on push: ReceivedPush) -> ReceptionDecision {
        let brief = folder?.brief()
        if brief?.dropReason(of: push) != nil {
            let isHidden = settings.hidesPushesOfFormerPersons
            return ReceptionDecision(appearance: isHidden ? .hidden : .neutral(settings.neutralText))
        }
        let note = PushNote(push, receivedAt: environment.now(), eventID: environment.makeUUID(), brief: brief)
        let kept = folder?.add(note)
        return ReceptionDecision(
            appearance: .shown(badge: badge(of: push, brief)),
            image: push.payload.image,
            report: folder.flatMap { folder in
                ReceptionReport(kept ?? note, brief, folder, environment)
            }
        )
    }

    /// Of the numbers that are known, the one with the greatest revision: a push that comes late must not put an older
    /// number on the icon (BADGE-6).
    private func badge(of push: ReceivedPush, _ brief: ExtensionBrief?) -> Int? {
        guard let sent = push.payload.badge, brief?.showsBadges != false else { return nil }
        var newest = sent
        if let known = brief?.badge, known.revision > newest.revision { newest = known }
        for note in folder?.notes() ?? [] {
            // Those of an earlier installation say nothing about this one.
            guard brief == nil || note.deviceID == brief?.deviceID, let other = note.payload.badge else { continue }
            if other.revision > newest.revision { newest = other }
        }
        return newest.count
    }
}
