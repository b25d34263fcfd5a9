import Belfry
import BelfryModel
import Foundation

/// The actions of a person on the phone.
extension Phone {
    /// The range of the clock's offset, in seconds.
    static let clockRange: ClosedRange<TimeInterval> = -366 * 86_400...366 * 86_400

    func carryOut(_ action: PhoneAction) async {
        do {
            try await tryToCarryOut(action)
        } catch {
            notes.note(.trouble, ErrorSentence.text(of: error))
        }
    }

    private func tryToCarryOut(_ action: PhoneAction) async throws {
        guard !isOff else { throw PhoneActionError.off }
        switch action.do {
        case .unlock: unlock()
        case .lock: await process.leave(to: .lockScreen)
        case .home: await process.leave(to: .homeScreen)
        case .open: try await process.open(on: self)
        case .kill: await kill()
        case .reinstall: try await reinstall()
        case .airplane: await setAirplaneMode(action.on == true)
        case .clock: try await setClock(action.seconds ?? 0)
        case .locale, .timeZone, .dark, .largeText: try await setUp(action)
        case .ask, .answer, .setting: try await permit(action)
        case .tokenLost: await tokens.lose()
        case .tap: try await tap(action.number ?? 0, button: action.name)
        case .dismiss: try await pushes.dismiss(action.number ?? 0)
        case .dismissBanner: system.change { $0.banner = nil }
        case .page: break
        default:
            guard let shop = await process.session?.shop, system.current.process == .foreground else {
                throw PhoneActionError.notRunning
            }
            try await shop.use(action)
        }
    }

    /// Unlocks the phone. If it is unlocked already, the screen stays as it is, with the app if it is open.
    private func unlock() {
        system.change { system in
            if system.place == .lockScreen { system.place = .homeScreen }
        }
    }

    private func kill() async {
        await process.kill()
        await tokens.appStopped()
    }

    /// Deletes the app and installs it again. Its files are removed, and the phone gets no more pushes for its token.
    /// APNs is told that the token is invalid, with retries until it answers.
    private func reinstall() async throws {
        await process.stop()
        await tokens.appStopped()
        await tokens.drop()
        system.change { $0.forgetApp() }
        notes.forgetTokens()
        let areFilesGone = removeFiles()
        if areFilesGone { notes.note(.system, "The app was deleted and installed again.") }
        system.keepAnew()
        await tokens.retireFormer()
        guard areFilesGone else {
            throw PhoneActionError("The files of the app could not be removed: it still has what it had stored.")
        }
    }

    /// - Returns: false when the files could not be removed.
    private func removeFiles() -> Bool {
        let path = world.folder(ofPhone: number).path
        guard FileManager.default.fileExists(atPath: path) else { return true }
        return (try? FileManager.default.removeItem(atPath: path)) != nil
    }

    /// The person taps on a notification, or on one of its buttons.
    private func tap(_ id: Int, button: String?) async throws {
        guard let notification = system.change({ $0.remove(id) }) else { return }
        try await process.open(on: self)
        try await pushes.opened(notification, button: button)
    }

    private func setAirplaneMode(_ isOn: Bool) async {
        guard system.current.isOnline == isOn else { return }
        system.change { $0.isOnline = !isOn }
        await process.session?.platform.send(.online(!isOn))
        notes.note(.system, isOn ? "The phone is in airplane mode." : "The phone is back on the network.")
        guard !isOn else { return }
        await pushes.deliverHeld()
        await tokens.backOnline()
    }

    private func setClock(_ seconds: TimeInterval) async throws {
        guard seconds.isFinite, Self.clockRange.contains(seconds) else {
            throw PhoneActionError("The clock can be set up to a year back or ahead.")
        }
        clock.offset = seconds
        system.change { $0.clockOffset = seconds }
        let words = "\(Duration(seconds).words) \(seconds < 0 ? "behind" : "ahead")"
        notes.note(.system, "The phone's clock is \(seconds == 0 ? "right again" : words).")
        await process.session?.platform.send(.systemChanged)
    }

    private func setUp(_ action: PhoneAction) async throws {
        let isOn = action.on == true
        switch action.do {
        case .locale:
            guard let name = action.value, (1...35).contains(name.utf8.count) else { return }
            system.change { $0.locale = name }
        case .timeZone:
            guard let name = action.value, ZoneName(name) != nil else {
                throw PhoneActionError("There is no such time zone.")
            }
            system.change { $0.timeZone = name }
        case .dark: system.change { $0.isDark = isOn }
        default: system.change { $0.hasLargeText = isOn }
        }
        await process.session?.platform.send(.systemChanged)
    }

    private func permit(_ action: PhoneAction) async throws {
        let isAllowed = action.on == true
        switch action.do {
        case .ask:
            guard await process.session != nil else { throw PhoneActionError.notRunning }
            guard system.current.permission == .notAsked else {
                return notes.note(
                    .system, "The system asks only once. The app gets the person's earlier answer."
                )
            }
            system.change { $0.isAsking = true }
        case .answer:
            guard system.current.isAsking else { return }
            system.change { system in
                system.isAsking = false
                system.permission = isAllowed ? .granted : .denied
            }
            notes.note(.system, isAllowed ? "The person allows notifications." : "The person denies notifications.")
            try await process.session?.client.setPushPermission(isAllowed)
            notes.noteEdit(of: "permission")
        default:
            system.change { $0.permission = isAllowed ? .granted : .denied }
            notes.noteEdit(of: "permission")
            notes.note(
                .system,
                "The person has \(isAllowed ? "allowed" : "denied") notifications in the system's settings. "
                    + "The app notices when it is opened."
            )
        }
    }
}
