import Belfry
import BelfryModel
import Foundation

/// What a person does with the phone, step by step.
extension Phone {
    /// Seconds in the future or past that the clock can be set to.
    static let clockRange: ClosedRange<TimeInterval> = -366 * 86_400...366 * 86_400

    func carryOut(_ action: PhoneAction) async {
        do {
            try await tryToCarryOut(action)
        } catch {
            note(.trouble, ErrorSentence.text(of: error))
        }
    }

    private func tryToCarryOut(_ action: PhoneAction) async throws {
        guard !isOff else { throw PhoneActionError.off }
        switch action.do {
        case .unlock: unlock()
        case .lock: await leaveApp(to: .lockScreen)
        case .home: await leaveApp(to: .homeScreen)
        case .open: try await openApp()
        case .kill: await kill()
        case .reinstall: try await reinstall()
        case .airplane: await setAirplaneMode(action.on == true)
        case .clock: try setClock(action.seconds ?? 0)
        case .locale, .timeZone, .dark, .largeText: try setUp(action)
        case .ask, .answer, .setting: try await permit(action)
        case .tokenLost: await loseToken()
        case .tap: try await tap(action.number ?? 0, button: action.name)
        case .dismiss: try await dismiss(action.number ?? 0)
        case .dismissBanner: system.banner = nil
        case .page: break
        default:
            guard let shop = session?.shop, system.process == .foreground else { throw PhoneActionError.notRunning }
            try await shop.use(action)
        }
    }

    /// A phone that is unlocked already stays where it is: the app on its screen is not left.
    private func unlock() {
        if system.place == .lockScreen { system.place = .homeScreen }
    }

    private func setAirplaneMode(_ isOn: Bool) async {
        guard system.isOnline == isOn else { return }
        system.isOnline = !isOn
        session?.platform.send(.online(!isOn))
        note(.system, isOn ? "The phone is in airplane mode." : "The phone is back on the network.")
        if !isOn { await backOnline() }
    }

    private func setClock(_ seconds: TimeInterval) throws {
        guard seconds.isFinite, Self.clockRange.contains(seconds) else {
            throw PhoneActionError("The clock can be set up to a year back or ahead.")
        }
        clock.offset = seconds
        system.clockOffset = seconds
        let words = "\(Duration(seconds).words) \(seconds < 0 ? "behind" : "ahead")"
        note(.system, "The phone's clock is \(seconds == 0 ? "right again" : words).")
        session?.platform.send(.systemChanged)
    }

    private func setUp(_ action: PhoneAction) throws {
        switch action.do {
        case .locale:
            guard let name = action.value, (1...35).contains(name.utf8.count) else { return }
            system.locale = name
        case .timeZone:
            guard let name = action.value, ZoneName(name) != nil else {
                throw PhoneActionError("There is no such time zone.")
            }
            system.timeZone = name
        case .dark: system.isDark = action.on == true
        default: system.hasLargeText = action.on == true
        }
        session?.platform.send(.systemChanged)
    }

    private func permit(_ action: PhoneAction) async throws {
        let isAllowed = action.on == true
        switch action.do {
        case .ask:
            guard session != nil else { throw PhoneActionError.notRunning }
            guard system.permission == .notAsked else {
                return note(.system, "The system asks once: it has the person's answer, and the app gets it again.")
            }
            system.isAsking = true
        case .answer:
            guard system.isAsking else { return }
            system.isAsking = false
            system.permission = isAllowed ? .granted : .denied
            note(.system, isAllowed ? "The person allows notifications." : "The person denies notifications.")
            try await session?.client.setPushPermission(isAllowed)
            noteEdit(of: "permission")
        default:
            system.permission = isAllowed ? .granted : .denied
            noteEdit(of: "permission")
            note(
                .system,
                "The person has \(isAllowed ? "allowed" : "denied") notifications in the system's settings. "
                    + "The app notices when it is opened."
            )
        }
    }
}
