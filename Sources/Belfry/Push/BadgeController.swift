import BelfryModel
import BelfryRules
import Foundation

/// The badge as the app sets it and the icon shows it (BADGE-2, BADGE-3, BADGE-5).
struct BadgeController: Sendable {
    let engine: DeviceEngine

    private var platform: any DevicePlatform { engine.context.platform }
    private var isEnabled: Bool { engine.context.configuration.badgesEnabled }

    var badge: Badge {
        get async throws(BelfryError) { try await engine.state().sync.badge.badge }
    }

    /// The server first: on any error the number stays as it is (BADGE-2). 0 takes away all of the app's notifications
    /// that the system still shows, too (BADGE-3).
    func set(_ count: Int) async throws(MessageCenterError) {
        guard isEnabled else { throw MessageCenterError(.invalidBadge, "Badges are off by the configuration.") }
        guard count >= 0 else { throw MessageCenterError(.invalidBadge, "A badge is 0 or more; this is \(count).") }
        _ = try await engine.ask(.setBadge(count))
        await show()
        if count == 0 { await platform.deliveredPushes?.removeAll() }
    }

    /// A push that the system has shown by itself has put its badge on the icon, and nobody told the app. So those that
    /// stand in the system's list tell theirs, but for a former person's (ID-4).
    func takeDelivered() async throws(BelfryError) {
        guard isEnabled else { return }
        // A system without a list has none that stand in it.
        let pushes = await platform.deliveredPushes?.pushes() ?? []
        try await engine.step { step throws(BelfryError) in
            let filter = step.state.pushFilter
            let meant = pushes.filter { filter.dropReason(of: $0) == nil }.map(\.payload)
            let badges = meant.compactMap { push in push.badge.map { (push.sid, $0) } }
            step.state.sync.badge.told(listed: Dictionary(badges) { $0.revision < $1.revision ? $1 : $0 })
        }
    }

    /// Shows what the badge is by the time that its turn comes, and returns when that is done. What the display does not
    /// take, or a kill prevents, is shown at the next chance.
    func show() async {
        guard let display = platform.badge else { return }
        engine.badgeWork.add { [weak engine] in
            guard let badge = await engine?.badgeToShow, await display.showBadge(badge.count) else { return }
            await engine?.badgeShown(badge)
        }
        await engine.badgeWork.finished()
    }

    /// Takes the number off the icon, in its turn, whatever the badge is.
    func clear() async {
        guard let display = platform.badge else { return }
        engine.badgeWork.add { await display.showBadge(0) }
        await engine.badgeWork.finished()
    }

    /// Takes away what a person was sent and the screen still shows: the number on the icon, and the pushes in the
    /// system's list (ID-4, REG-36).
    func clearScreen() async {
        await clear()
        await platform.deliveredPushes?.removePushes()
    }

    /// Takes away what a former person was sent and the screen still shows, when somebody else has come since.
    func clearScreenOfFormer() async {
        guard await engine.takeShowsFormer() else { return }
        await engine.pageWork.finished()
        // 0, unless a number of the one who has come is there already.
        await show()
        await platform.deliveredPushes?.removePushes()
    }
}

extension DeviceEngine {
    /// - Returns: nil when the icon was given it already.
    fileprivate var badgeToShow: Badge? {
        guard let badge = try? state().sync.badge, badge.isUnshown else { return nil }
        return badge.badge
    }

    fileprivate func badgeShown(_ badge: Badge) {
        // Shown once more is no harm; whoever stores next hears of the fault.
        try? step { step throws(BelfryError) in step.state.sync.badge.shown(badge) }
    }

    fileprivate func takeShowsFormer() -> Bool {
        defer { process.showsFormer = false }
        return process.showsFormer
    }
}
