import BelfryModel
import BelfryRules
import Foundation

/// The badge: the app sets it, and the icon shows it (BADGE-2, BADGE-3, BADGE-5).
struct BadgeCoordinator: Sendable {
    let engine: DeviceEngine

    private var platform: any DevicePlatform { engine.context.platform }
    private var isEnabled: Bool { engine.context.configuration.badgesEnabled }

    var badge: Badge {
        get async throws(BelfryError) { try await engine.state().sync.badge.badge }
    }

    /// Asks the server first: on any error the badge stays as it is (BADGE-2). 0 also removes all of the app's
    /// notifications that the system still shows (BADGE-3).
    func set(_ count: Int) async throws(MessageCenterError) {
        guard isEnabled else { throw MessageCenterError(.invalidBadge, "Badges are turned off in the configuration.") }
        guard count >= 0 else { throw MessageCenterError(.invalidBadge, "A badge is 0 or more, not \(count).") }
        _ = try await engine.ask(.setBadge(count))
        await show()
        if count == 0 { await platform.deliveredPushes?.removeAll() }
    }

    /// Asks the platform which badge the icon shows, once the app is shown: it may be the badge of a push that the app
    /// never saw (BADGE-6). Where the platform cannot be asked, the server is asked, each time the app returns.
    ///
    /// - Parameter isReturn: the app was not shown before.
    func readIcon(isReturn: Bool) async throws(BelfryError) {
        guard isEnabled, let display = platform.badge else { return }
        let count = await display.shownBadge()
        guard count != nil || isReturn else { return }
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return }
            let former = step.state.sync.badge
            step.state.sync.badge.iconShows(count)
            if step.state.sync.badge != former { step.then(.wake) }
        }
    }

    /// Shows the badge that is current when its turn comes, and returns when that is done. If the display fails, or a
    /// kill prevents it, the badge is shown at the next opportunity.
    func show() async {
        guard let display = platform.badge else { return }
        engine.badgeWork.add { [weak engine] in
            guard let badge = await engine?.badgeToShow, await display.showBadge(badge.count) else { return }
            await engine?.badgeShown(badge)
        }
        await engine.badgeWork.finished()
    }

    /// Removes the number from the icon when its turn comes, whatever the badge is.
    func clear() async {
        guard let display = platform.badge else { return }
        engine.badgeWork.add { await display.showBadge(0) }
        await engine.badgeWork.finished()
    }

    /// Removes a person's data from the screen: the number on the icon, and the pushes in the system's list (ID-4,
    /// REG-36).
    func clearScreen() async {
        await clear()
        await platform.deliveredPushes?.removePushes()
    }

    /// Removes a former person's data from the screen, once another person has come.
    func clearScreenOfFormer() async {
        guard await engine.takeShowsFormer() else { return }
        await engine.pageWork.finished()
        // The badge is 0, unless the new person already has a number.
        await show()
        await platform.deliveredPushes?.removePushes()
    }
}

extension DeviceEngine {
    /// - Returns: nil when the icon already shows the badge.
    fileprivate var badgeToShow: Badge? {
        guard let badge = try? state().sync.badge, badge.isUnshown else { return nil }
        return badge.badge
    }

    fileprivate func badgeShown(_ badge: Badge) {
        // An error may be ignored, because showing the badge twice does no harm; the next step that fails to be stored
        // reports it.
        try? step { step throws(BelfryError) in step.state.sync.badge.shown(badge) }
    }

    fileprivate func takeShowsFormer() -> Bool {
        defer { process.showsFormer = false }
        return process.showsFormer
    }
}
