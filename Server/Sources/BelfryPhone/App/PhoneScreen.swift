import Belfry
import BelfryInAppRenderer
import Foundation
import Synchronization

/// The app's screen for in-app messages: a browser that shows the phone loads their pages in sandboxed frames and hands
/// the pages' posts back.
final class PhoneScreen: InAppPresenter {
    /// Pages that are loaded, shown, or in a view of the app.
    struct Page: Sendable {
        let display: InAppDisplay
        /// The text that the page posts is a command of its own bridge.
        let commands: AsyncStream<InAppBridgeCommand>.Continuation
        var isLoaded = false
        var isShown = false
        var isInline = false
        var loading: CheckedContinuation<Bool, Never>?
    }

    private let pages = Mutex<(all: [Int: Page], numbers: Int)>(([:], 0))
    /// Whether a browser shows this phone: without one no page can be loaded.
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
    /// - Returns: false for one that is gone; so is one for which nobody waits any more.
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

    /// Adds a page for a view of the app.
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

    /// - Returns: whether the page is still there.
    func show(_ number: Int) -> Bool {
        let isThere = pages.withLock { pages in
            guard pages.all[number] != nil, isWatched() else { return false }
            pages.all[number]?.isShown = true
            return true
        }
        // What could not be shown is loaded anew when it is tried again.
        if isThere { changed() } else { remove(number) }
        return isThere
    }

    func remove(_ number: Int) {
        let page = pages.withLock { $0.all.removeValue(forKey: number) }
        page?.commands.finish()
        page?.loading?.resume(returning: false)
        if page != nil { changed() }
    }

    /// The app's process is gone, and everything on its screen.
    func clear() {
        for number in pages.withLock({ Array($0.all.keys) }) { remove(number) }
    }

    /// A page has posted to the bridge. What it cannot have sent is ignored.
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

    /// What a page shows, for its frame.
    func display(of number: Int) -> InAppDisplay? {
        pages.withLock { $0.all[number]?.display }
    }

    /// For the view: the newest page that covers the app, whether it is to be seen, and the page of the view.
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

/// A page that was loaded, to be shown once.
private struct PhonePresentation: InAppPresentation {
    let number: Int
    let screen: PhoneScreen
    let commands: AsyncStream<InAppBridgeCommand>

    func present() async -> Bool { screen.show(number) }
    func close() async { screen.remove(number) }
}
