import Belfry
import BelfryModel
import Foundation

/// What a person does with the phone, step by step.
extension Phone {
    func carryOut(_ action: PhoneAction) async {
        do {
            try await tryToCarryOut(action)
        } catch {
            note(.trouble, "\(error)")
        }
    }

    private func tryToCarryOut(_ action: PhoneAction) async throws {
        switch action.do {
        case .unlock: system.place = .homeScreen
        case .lock: leaveApp(to: .lockScreen)
        case .home: leaveApp(to: .homeScreen)
        case .open: try await openApp()
        case .kill: await kill()
        case .reinstall: try await reinstall()
        case .airplane, .clock, .locale, .timeZone, .dark, .largeText: try await change(action)
        case .ask, .answer, .setting: try await permit(action)
        case .tokenLost:
            try await loseToken()
            note(.system, "APNs rejects the app's token from now on. The server learns it with its next push.")
        case .tap: try await tap(action.number ?? 0, button: action.name)
        case .dismiss: try await dismiss(action.number ?? 0)
        case .dismissBanner: app.banner = nil
        case .page: break
        default: try await use(action)
        }
    }

    // MARK: The phone

    private func change(_ action: PhoneAction) async throws {
        switch action.do {
        case .airplane:
            system.isOnline = action.on != true
            session?.platform.send(.online(system.isOnline))
            note(.system, system.isOnline ? "The phone is back on the network." : "The phone is in airplane mode.")
            if system.isOnline, let held = system.takeHeld(now: world.environment.now()) { await deliver(held) }
            return
        case .clock:
            let seconds = action.seconds ?? 0
            guard seconds.isFinite, Self.clockRange.contains(seconds) else {
                throw PhoneActionError("The clock can be set up to a year back or ahead.")
            }
            clock.offset = seconds
            system.clockOffset = seconds
            note(.system, "The phone's clock is \(Duration(seconds).words) \(seconds < 0 ? "behind" : "ahead").")
        case .locale:
            guard let name = action.value, (1...35).contains(name.utf8.count) else { return }
            system.locale = name
        case .timeZone:
            guard let name = action.value, ZoneName(name) != nil else {
                throw PhoneActionError("There is no such time zone.")
            }
            system.timeZone = name
        case .dark: system.isDark = action.on == true
        case .largeText: system.hasLargeText = action.on == true
        default: break
        }
        session?.platform.send(.systemChanged)
    }

    private func permit(_ action: PhoneAction) async throws {
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
            system.permission = action.on == true ? .granted : .denied
            note(.system, action.on == true ? "The person allows notifications." : "The person denies notifications.")
            try await session?.client.setPushPermission(action.on == true)
        default:
            system.permission = action.on == true ? .granted : .denied
            note(
                .system,
                "The person has \(action.on == true ? "allowed" : "denied") notifications in the system's settings. "
                    + "The app notices when it is opened."
            )
        }
    }

    // MARK: The app

    private func use(_ action: PhoneAction) async throws {
        guard let client = session?.client, system.process == .foreground else { throw PhoneActionError.notRunning }
        switch action.do {
        case .login: try await logIn(action.name ?? "", client)
        case .logout:
            try await client.logout()
            note(.app, "logout()")
        case .pushSwitch:
            let isOn = action.on == true
            try await client.edit { $0.setPushEnabled(isOn) }
            note(.app, "edit { $0.setPushEnabled(\(isOn)) }")
        case .tracking: try await client.setTrackingEnabled(action.on == true)
        case .attribute: try await setAttribute(action, client)
        case .tag:
            let tag = action.value ?? ""
            let isOn = action.on == true
            try await client.edit { record in _ = isOn ? record.addTag(tag) : record.removeTag(tag) }
            note(.app, "edit { $0.\(isOn ? "addTag" : "removeTag")(\"\(tag.prefix(40))\") }")
        case .flush: try await client.flush()
        case .wipe:
            try await client.wipe()
            note(.app, "wipe()")
        case .restart: try await client.start(afterErasure: true)
        default: try await shop(action, client)
        }
    }

    private func shop(_ action: PhoneAction, _ client: BelfryClient) async throws {
        switch action.do {
        case .tab: try await open(SampleApp.Tab(rawValue: action.name ?? "") ?? .home, client)
        case .product:
            guard let product = SampleApp.product(action.name ?? "") else { return }
            app.product = product.sku
            try await client.trackScreen("product", attributes: ["sku": .string(product.sku)])
            note(.app, "trackScreen(\"product\")")
        case .buy:
            guard let product = SampleApp.product(action.name ?? app.product ?? "") else { return }
            app.basket = Array((app.basket + [product.sku]).suffix(20))
            try await client.track(
                "basket:add", attributes: ["sku": .string(product.sku), "price": .number(product.price)]
            )
            note(.app, "track(\"basket:add\")")
        case .checkout:
            let total = app.basket.compactMap(SampleApp.product).reduce(0) { $0 + $1.price }
            app.basket = []
            try await client.track("purchase", attributes: ["total": .number(total)])
            note(.app, "track(\"purchase\")")
        case .track:
            try await client.track(action.name ?? "")
            note(.app, "track(\"\((action.name ?? "").prefix(60))\")")
        case .closeLink: app.link = nil
        default: try await useInbox(action, client)
        }
    }

    private func useInbox(_ action: PhoneAction, _ client: BelfryClient) async throws {
        switch action.do {
        case .message: try await openMessage(action.name ?? "")
        case .closeMessage: app.message = nil
        case .deleteMessage:
            app.message = nil
            try await client.delete(action.name ?? "")
            note(.app, "delete(\"…\")")
        case .refreshInbox:
            note(.app, "refreshMessageCenters()")
            try await client.refreshMessageCenters()
        case .resetBadge:
            note(.app, "resetBadgeCount()")
            try await client.resetBadgeCount()
        default: break
        }
    }

    private func logIn(_ name: String, _ client: BelfryClient) async throws {
        guard SampleApp.people.contains(name) else { throw PhoneActionError("Only Ann and Ben use this app.") }
        try await client.identify(contactKey: name)
        note(.app, "identify(contactKey: \"\(name)\")")
    }

    private func setAttribute(_ action: PhoneAction, _ client: BelfryClient) async throws {
        let name = action.name ?? ""
        let value = action.value ?? ""
        let result = try await client.edit { $0.setAttribute(name, to: .string(value)) }
        note(.app, "edit { $0.setAttribute(\"\(name.prefix(40))\", to: …) } → \(result)")
    }

    private func open(_ tab: SampleApp.Tab, _ client: BelfryClient) async throws {
        let former = app.tab
        app.tab = tab
        app.product = nil
        app.message = nil
        if former == .inbox, tab != .inbox { try await client.messageCenterViewWillDisappear() }
        if tab == .inbox, former != .inbox {
            try await client.messageCenterViewWillAppear()
            for message in try await client.messages().prefix(20) {
                try await client.trackMessageCenterDisplay(message.id)
            }
        }
        try await client.trackScreen(tab.rawValue)
        note(.app, "trackScreen(\"\(tab.rawValue)\")")
    }

    /// Opens a message: it is read, its opening counts, and its page is shown if it has one.
    func openMessage(_ id: String) async throws {
        guard let client = session?.client, let message = try await client.messages().first(where: { $0.id == id })
        else { return }
        app.message = (id, nil)
        try await client.trackMessageCenterOpen(id)
        try await client.markRead(id)
        if message.hasRichContent { app.message = (id, try await client.richContent(for: id)) }
    }

    /// Shows the inline message of the home screen, if there is one.
    func refreshInline() async throws {
        guard app.inline == nil, let client = session?.client,
            let message = try await client.inlineMessage(viewID: SampleApp.inlineView)
        else { return }
        let (page, commands) = screen.addInline(message)
        app.inline = (page, message)
        try await client.inlineMessageShown(message)
        Task {
            for await command in commands where try await client.inlineMessage(message, said: command) { break }
            self.removeInline(page)
        }
        Task {
            await client.inlineMessageEnded(message)
            self.removeInline(page)
        }
        viewers.signal()
    }

    private func removeInline(_ page: Int) {
        guard app.inline?.page == page else { return }
        app.inline = nil
        screen.remove(page)
        viewers.signal()
    }

    func noteDecision(_ decision: InAppDecisionReport) {
        inspector.note(decision, at: clock.now)
        viewers.signal()
    }
}
