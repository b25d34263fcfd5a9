import Belfry
import BelfryModel
import BelfryRules
import Foundation

/// A running process of the sample app: its state, and its calls of the SDK.
actor ShopApp {
    let client: BelfryClient
    let screen: PhoneScreen
    let observer: any AppObserver
    var state = SampleApp()
    /// Whether the app is visible: the phone is unlocked, and the app is in front.
    var isInFront = false
    /// The message in the home screen's view, with the number of its page.
    var inline: (message: InlineMessage, page: Int)?
    /// Calls that wait for the network, while the person continues to use the app. They end with the process.
    private var calls: [Int: Task<Void, Never>] = [:]
    private var callNumbers = 0
    private var isOver = false

    init(client: BelfryClient, screen: PhoneScreen, observer: any AppObserver) {
        self.client = client
        self.screen = screen
        self.observer = observer
    }

    /// Ends the app with its process.
    func end() {
        isOver = true
        for call in calls.values { call.cancel() }
        calls = [:]
    }

    /// Carries out an action of the person in the app. Calls that wait for the network run in tasks of their own.
    ///
    /// - Throws: the errors of the SDK.
    func use(_ action: PhoneAction) async throws {
        do {
            try await carryOut(action)
        } catch {
            await updateInline()
            throw error
        }
        await updateInline()
    }

    private func carryOut(_ action: PhoneAction) async throws {
        switch action.do {
        case .login, .logout, .pushSwitch, .attribute, .tag, .tracking: try await editPerson(action)
        case .flush: later { [client] in try await client.flush() }
        case .wipe:
            await say("wipe()")
            try await client.wipe()
            state.message = nil
        case .restart:
            await say("start(afterErasure: true)")
            // The SDK begins a new installation, so the app enables the message center again, as at its launch.
            try await client.setMessageCenterEnabled(true)
            try await client.start(afterErasure: true)
        case .message, .closeMessage, .deleteMessage, .refreshInbox, .resetBadge: try await useInbox(action)
        default: try await shop(action)
        }
    }

    func open(_ link: String) {
        state.link = link
        later { await self.updateInline() }
    }

    /// The SDK has erased all data of the person, so the open message is closed.
    func personErased() async {
        state.message = nil
        await updateInline()
    }

    /// Notes a call before it is made, so that its effects are listed after it.
    private func say(_ call: String) async {
        await observer.note(.app, "The app calls \(call).")
    }

    /// Notes the error of a refused value.
    private func say(_ result: EditResult) async {
        guard let error = result.error else { return }
        await observer.note(.app, "The SDK refuses it: \(ErrorSentence.whole(error.message))")
    }

    /// Runs a call that may wait for the network as long as it takes.
    func later(_ call: @escaping @Sendable () async throws -> Void) {
        guard !isOver else { return }
        callNumbers += 1
        let number = callNumbers
        calls[number] = Task {
            do {
                try await call()
            } catch is CancellationError {
            } catch {
                // Calls that fail because the process has ended are not reported.
                if !isOver { await observer.note(.trouble, ErrorSentence.text(of: error)) }
            }
            self.calls[number] = nil
            await observer.appChanged()
        }
    }
}

// MARK: - The person

extension ShopApp {
    private func editPerson(_ action: PhoneAction) async throws {
        let isOn = action.on == true
        switch action.do {
        case .login:
            let name = action.name ?? ""
            guard SampleApp.people.contains(name) else { throw PhoneActionError("Only Ann and Ben use this app.") }
            await say("identify(contactKey: \"\(name)\")")
            await say(try await client.identify(contactKey: name))
            state.message = nil
            await observer.noteEdit(of: "contact key")
        case .logout:
            await say("logout()")
            try await client.logout()
            state.message = nil
            await observer.noteEdit(of: "contact key")
        case .pushSwitch:
            try await client.edit { $0.setPushEnabled(isOn) }
            await observer.noteEdit(of: "push switch")
            await say("edit { $0.setPushEnabled(\(isOn)) }")
        case .tag:
            let tag = action.value ?? ""
            try await client.edit { record in _ = isOn ? record.addTag(tag) : record.removeTag(tag) }
            await observer.noteEdit(of: "tag \(tag.prefix(40))")
            await say("edit { $0.\(isOn ? "addTag" : "removeTag")(\"\(tag.prefix(40))\") }")
        case .tracking: try await client.setTrackingEnabled(isOn)
        default:
            let name = action.name ?? ""
            let value = action.value ?? ""
            let result = try await client.edit { $0.setAttribute(name, to: .string(value)) }
            await observer.noteEdit(of: String(name.prefix(40)))
            await say("edit { $0.setAttribute(\"\(name.prefix(40))\", to: …) }")
            await say(result)
        }
    }
}

// MARK: - The shop

extension ShopApp {
    private func shop(_ action: PhoneAction) async throws {
        switch action.do {
        case .tab: try await open(SampleApp.Tab(rawValue: action.name ?? "") ?? .home)
        case .product:
            guard let product = SampleApp.product(action.name ?? "") else { return }
            state.tab = .products
            state.product = product.sku
            await say("trackScreen(\"product\")")
            try await client.trackScreen("product", attributes: ["sku": .string(product.sku)])
        case .buy:
            guard let product = SampleApp.product(action.name ?? state.product ?? "") else { return }
            state.basket = Array((state.basket + [product.sku]).suffix(SampleApp.largestBasket))
            await say("track(\"basket:add\")")
            try await client.track(
                "basket:add", attributes: ["sku": .string(product.sku), "price": .number(product.price)]
            )
        case .checkout:
            let total = state.basket.compactMap(SampleApp.product).reduce(0) { $0 + $1.price }
            state.basket = []
            await say("track(\"purchase\")")
            try await client.track("purchase", attributes: ["total": .number(total)])
        case .track:
            await say("track(\"\((action.name ?? "").prefix(60))\")")
            try await client.track(action.name ?? "")
        case .closeLink: state.link = nil
        default: break
        }
    }

    private func open(_ tab: SampleApp.Tab) async throws {
        let former = state.tab
        state.tab = tab
        state.product = nil
        state.message = nil
        state.link = nil
        if former == .inbox, tab != .inbox { try await client.messageCenterViewWillDisappear() }
        if tab == .inbox, former != .inbox {
            try await client.messageCenterViewWillAppear()
            for message in try await client.messages().prefix(20) {
                try await client.trackMessageCenterDisplay(message.id)
            }
        }
        await say("trackScreen(\"\(tab.rawValue)\")")
        try await client.trackScreen(tab.rawValue)
    }
}

// MARK: - The inbox

extension ShopApp {
    private func useInbox(_ action: PhoneAction) async throws {
        switch action.do {
        case .message: try await openListedMessage(action.name ?? "")
        case .closeMessage: state.message = nil
        case .deleteMessage:
            state.message = nil
            await say("delete(\"…\")")
            try await client.delete(action.name ?? "")
        case .refreshInbox:
            await say("refreshMessageCenters()")
            later { [client] in try await client.refreshMessageCenters() }
        default:
            await say("resetBadgeCount()")
            later { [client] in try await client.resetBadgeCount() }
        }
    }

    /// Opens the message of a push, when it is there.
    func openMessage(of push: ReceivedPush) {
        later { [client, observer] in
            if let message = try await client.message(for: push) {
                try await self.openMessage(message)
            } else {
                await observer.note(.push, "The push opens a message, but this person has none of its campaign.")
            }
        }
    }

    /// Opens a message of the list. It may have been removed since the person saw it.
    private func openListedMessage(_ id: String) async throws {
        guard let message = try await client.messages().first(where: { $0.id == id }) else {
            throw PhoneActionError("The message cannot be opened: it is no longer in the inbox.")
        }
        try await openMessage(message)
    }

    /// Opens a message: marks it read, reports the opening, and shows its page if it has one.
    private func openMessage(_ message: MessageCenterMessage) async throws {
        let id = message.id
        await say("trackMessageCenterOpen(\"…\"), markRead(\"…\")")
        try await client.trackMessageCenterOpen(id)
        // This throws if the device does not have the message any more: then there is nothing to show.
        try await client.markRead(id)
        state.tab = .inbox
        state.link = nil
        state.message = SampleApp.OpenMessage(message: message, isLoading: message.hasRichContent)
        await updateInline()
        guard message.hasRichContent else { return }
        later { [client] in
            do {
                let html = try await client.richContent(for: id)
                await self.loaded(id, html)
            } catch {
                await self.loaded(id, nil)
                throw error
            }
        }
    }

    private func loaded(_ id: String, _ html: String?) {
        guard state.message?.message.id == id else { return }
        state.message?.html = html
        state.message?.isLoading = false
    }
}
