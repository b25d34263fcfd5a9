import Belfry
import BelfryInAppRenderer
import Foundation
import Synchronization

/// The app's screen for in-app messages. The browser that shows the phone loads their HTML pages in sandboxed frames,
/// and returns the messages that the pages post.
final class PhoneScreen: InAppPresenter {
    /// A page that is being loaded, is shown, or is in a view of the app.
    struct Page: Sendable {
        let display: InAppDisplay
        /// Commands of the page's bridge, read from the texts that the page posts.
        let commands: AsyncStream<InAppBridgeCommand>.Continuation
        var isLoaded = false
        var isShown = false
        var isInline = false
        var loading: CheckedContinuation<Bool, Never>?
    }

    private let pages = Mutex<(all: [Int: Page], numbers: Int)>(([:], 0))
    /// Whether a browser shows this phone; without one, no page can be loaded.
    private let isWatched: @Sendable () -> Bool
    private let changed: @Sendable () -> Void

    init(isWatched: @escaping @Sendable () -> Bool, changed: @escaping @Sendable () -> Void) {
        self.isWatched = isWatched
        self.changed = changed
    }

    func prepare(_ page: InAppDisplay) async throws -> any InAppPresentation {
        guard isWatched() else { throw InAppScreenMissing() }
        let (number, commands) = add(page, isInline: false)
        changed()
        guard await load(number) else { throw InAppScreenMissing() }
        return PhonePresentation(number: number, screen: self, commands: commands)
    }

    /// Waits until a browser has loaded a page.
    ///
    /// - Returns: false when the page was removed, or the waiting task was cancelled; then the page is removed too.
    func load(_ number: Int) async -> Bool {
        let isLoaded = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let answer: Bool? = pages.withLock { pages in
                    guard let page = pages.all[number], !Task.isCancelled else { return false }
                    if page.isLoaded { return true }
                    pages.all[number]?.loading = waiter
                    return nil
                }
                if let answer { waiter.resume(returning: answer) }
            }
        } onCancel: {
            remove(number)
        }
        if !isLoaded { remove(number) }
        return isLoaded
    }

    func isLoaded(_ number: Int) -> Bool {
        pages.withLock { $0.all[number]?.isLoaded ?? false }
    }

    /// Adds the page of an inline message for a view of the app.
    func addInline(_ message: InlineMessage) -> (number: Int, commands: AsyncStream<InAppBridgeCommand>) {
        add(message.display, isInline: true)
    }

    private func add(
        _ display: InAppDisplay, isInline: Bool
    ) -> (number: Int, commands: AsyncStream<InAppBridgeCommand>) {
        let made = AsyncStream<InAppBridgeCommand>.makeStream(bufferingPolicy: .bufferingOldest(64))
        let number = pages.withLock { pages in
            pages.numbers += 1
            var page = Page(display: display, commands: made.continuation)
            page.isInline = isInline
            page.isShown = isInline
            pages.all[pages.numbers] = page
            return pages.numbers
        }
        return (number, made.stream)
    }

    /// - Returns: whether the page can be shown: it still exists and a browser shows the phone.
    func show(_ number: Int) -> Bool {
        let isThere = pages.withLock { pages in
            guard pages.all[number] != nil, isWatched() else { return false }
            pages.all[number]?.isShown = true
            return true
        }
        // A page that could not be shown is removed: the next attempt loads it again.
        if isThere { changed() } else { remove(number) }
        return isThere
    }

    func remove(_ number: Int) {
        let page = pages.withLock { $0.all.removeValue(forKey: number) }
        page?.commands.finish()
        page?.loading?.resume(returning: false)
        if page != nil { changed() }
    }

    /// Removes all pages: the app's process has ended.
    func clear() {
        for number in pages.withLock({ Array($0.all.keys) }) { remove(number) }
    }

    /// Handles a text that a page has posted to its bridge. Texts that are not commands are ignored.
    func post(_ text: String, from number: Int) {
        let waiter: CheckedContinuation<Bool, Never>? = pages.withLock { pages in
            guard let page = pages.all[number], let command = page.display.command(posted: text) else { return nil }
            page.commands.yield(command)
            guard command == .loaded else { return nil }
            pages.all[number]?.isLoaded = true
            pages.all[number]?.loading = nil
            return page.loading
        }
        waiter?.resume(returning: true)
    }

    /// The content of a page, for its frame.
    func display(of number: Int) -> InAppDisplay? {
        pages.withLock { $0.all[number]?.display }
    }

    /// The pages for the phone's view: the newest page that covers the app, with whether it is shown, and the newest
    /// inline page.
    var view: (overlay: (number: Int, type: String, isShown: Bool)?, inline: Int?) {
        pages.withLock { pages in
            let overlay = pages.all.filter { !$0.value.isInline }.max { $0.key < $1.key }
            return (
                overlay.map { ($0.key, $0.value.display.message.type.rawValue, $0.value.isShown) },
                pages.all.filter(\.value.isInline).keys.max()
            )
        }
    }
}

/// A loaded page, which is shown once.
private struct PhonePresentation: InAppPresentation {
    let number: Int
    let screen: PhoneScreen
    let commands: AsyncStream<InAppBridgeCommand>

    func present() async -> Bool { screen.show(number) }
    func close() async { screen.remove(number) }
}
