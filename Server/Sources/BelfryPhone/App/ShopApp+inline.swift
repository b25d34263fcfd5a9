import Belfry

/// The home screen's own view for inline messages (IAM-12), as an app's developer writes it: it asks for its message
/// when somebody sees it, and reports that it is shown once its page is there.
extension ShopApp {
    /// The app is in front from now on.
    func cameToFront() async {
        isInFront = true
        await countInline()
        await updateInline()
    }

    /// Nobody sees the app any more. Its view keeps its message.
    func leftFront() {
        isInFront = false
    }

    /// The view comes and goes with the home screen. While it is seen and empty, it asks for a message.
    func updateInline() async {
        guard isInFront else { return }
        guard state.showsHome else { return await leaveInline() }
        guard inline == nil, let message = try? await client.inlineMessage(viewID: SampleApp.inlineView) else { return }
        // The person may have gone on meanwhile, or another call was quicker.
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
            // Another one may have its turn.
            if await self.removeInline(page) { await self.updateInline() }
        }
    }

    /// It is shown where its page is loaded and somebody sees it. However often that is reported, it counts once in a
    /// session.
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
        // Only the time on the screen is reported by it; the SDK reports a failure of its storage itself.
        try? await client.inlineMessageClosed(left.message)
    }

    /// - Returns: whether the page was still in its place.
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
