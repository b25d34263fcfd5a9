import Belfry

/// The home screen's view for inline messages (IAM-12), as an app's developer would write it. The view asks for its
/// message when it becomes visible, and reports the impression when the message's page is loaded.
extension ShopApp {
    /// The app has come to the front.
    func cameToFront() async {
        isInFront = true
        await countInline()
        await updateInline()
    }

    /// The app is no longer visible. The view keeps its message.
    func leftFront() {
        isInFront = false
    }

    /// Fills or clears the view. While the home screen is visible and the view is empty, it asks for a message.
    func updateInline() async {
        guard isInFront else { return }
        guard state.showsHome else { return await leaveInline() }
        guard inline == nil, let message = try? await client.inlineMessage(viewID: SampleApp.inlineView) else { return }
        // Meanwhile the person may have left the home screen, or another call may have filled the view.
        guard isInFront, state.showsHome, inline == nil else {
            try? await client.inlineMessageClosed(message)
            return
        }
        show(message)
        await observer.appChanged()
    }

    private func show(_ message: InlineMessage) {
        let (page, commands) = screen.addInline(message)
        inline = (message, page)
        state.inline = page
        later { [screen] in
            if await screen.load(page) { await self.countInline() }
        }
        later { [client] in
            for await command in commands where try await client.inlineMessage(message, said: command) { break }
            await self.removeInline(page)
        }
        later { [client] in
            await client.inlineMessageEnded(message)
            // Another message may be due for the view.
            if await self.removeInline(page) { await self.updateInline() }
        }
    }

    /// Reports the impression once the page is loaded and visible. Repeated reports count once in a session.
    private func countInline() async {
        guard isInFront, let shown = inline, screen.isLoaded(shown.page) else { return }
        do {
            try await client.inlineMessageShown(shown.message)
        } catch {
            await observer.note(.trouble, ErrorSentence.text(of: error))
        }
    }

    private func leaveInline() async {
        guard let left = inline else { return }
        await removeInline(left.page)
        // This only reports the time on the screen. The SDK reports errors of its storage itself.
        try? await client.inlineMessageClosed(left.message)
    }

    /// - Returns: whether the page was still in the view.
    @discardableResult
    private func removeInline(_ page: Int) async -> Bool {
        guard inline?.page == page else { return false }
        inline = nil
        state.inline = nil
        screen.remove(page)
        await observer.appChanged()
        return true
    }
}
