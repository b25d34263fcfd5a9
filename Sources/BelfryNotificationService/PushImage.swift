import BelfryModel
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The image of a push: fetched over https only, also after redirects, within a time and a size, and a picture that the
/// system can show beside a notification (PUSH-8).
enum PushImage {
    /// The system shows no larger one.
    static let systemMaximumBytes = 10_485_760
    private static let maximumRedirects = 5

    /// Fetches an image.
    ///
    /// - Parameters:
    ///   - configuration: of the session; without cookies and cache.
    ///   - timeout: seconds in all.
    /// - Returns: nil when it cannot be fetched; then the push is shown without it.
    static func fetch(
        _ address: String,
        atMost maximumBytes: Int,
        within timeout: TimeInterval,
        _ configuration: URLSessionConfiguration = .ephemeral
    ) async -> Data? {
        guard let url = URLText.url(address), isSecure(url) else { return nil }
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = timeout
        configuration.timeoutIntervalForResource = timeout
        let fetch = ImageFetch(ImageReception(maximumBytes: maximumBytes, maximumRedirects: maximumRedirects))
        let session = URLSession(configuration: configuration, delegate: fetch, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let task = session.dataTask(with: URLRequest(url: url))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                fetch.wait(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    static func isSecure(_ url: URL) -> Bool {
        url.scheme?.lowercased() == "https" && url.host?.isEmpty == false
    }

    /// By its first bytes, because an address says nothing about it: the system knows an image by its file's extension.
    ///
    /// - Returns: nil for anything but JPEG, PNG and GIF.
    static func fileExtension(of data: Data) -> String? {
        let signatures: [(bytes: [UInt8], name: String)] = [
            ([0xff, 0xd8, 0xff], "jpg"), ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "png"),
            (Array("GIF87a".utf8), "gif"), (Array("GIF89a".utf8), "gif"),
        ]
        return signatures.first { data.starts(with: $0.bytes) }?.name
    }

    /// Stores an image where the system takes it from.
    ///
    /// - Parameter name: the file's name without its extension.
    static func store(_ data: Data, named name: String, in directory: URL) -> URL? {
        guard let kind = fileExtension(of: data) else { return nil }
        let url = directory.appendingPathComponent(name).appendingPathExtension(kind)
        return (try? data.write(to: url, options: .atomic)) == nil ? nil : url
    }
}

/// What has arrived of an image, and what may follow.
struct ImageReception: Sendable {
    let maximumBytes: Int
    let maximumRedirects: Int
    private var data = Data()
    private var isRejected = false
    private var redirects = 0

    init(maximumBytes: Int, maximumRedirects: Int) {
        self.maximumBytes = maximumBytes
        self.maximumRedirects = maximumRedirects
    }

    /// - Returns: whether a redirect may be followed: not out of https, and not for ever.
    mutating func follows(_ url: URL?) -> Bool {
        redirects += 1
        return redirects <= maximumRedirects && url.map(PushImage.isSecure) == true
    }

    /// Not one byte more is kept than is allowed: an extension that needs too much memory is killed.
    ///
    /// - Returns: false when it has become too large.
    mutating func take(_ more: Data) -> Bool {
        isRejected = isRejected || data.count + more.count > maximumBytes
        if isRejected { data = Data() } else { data.append(more) }
        return !isRejected
    }

    /// - Parameter status: that of the response; nil when the load failed.
    func image(status: Int?) -> Data? {
        guard status == 200, !isRejected, PushImage.fileExtension(of: data) != nil else { return nil }
        return data
    }
}

/// Receives one image.
// Unchecked: its state is accessed under its lock only.
private final class ImageFetch: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var reception: ImageReception
    private var waiter: CheckedContinuation<Data?, Never>?

    init(_ reception: ImageReception) {
        self.reception = reception
    }

    func wait(_ waiter: CheckedContinuation<Data?, Never>) {
        lock.withLock { self.waiter = waiter }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if !lock.withLock({ reception.take(data) }) { dataTask.cancel() }
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let isAllowed = lock.withLock { reception.follows(request.url) }
        completionHandler(isAllowed ? request : nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let status = error == nil ? (task.response as? HTTPURLResponse)?.statusCode : nil
        let (waiter, image) = lock.withLock {
            defer { self.waiter = nil }
            return (self.waiter, reception.image(status: status))
        }
        waiter?.resume(returning: image)
    }
}
