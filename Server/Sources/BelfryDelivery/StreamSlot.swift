import BelfryPush
import NIOCore

/// The state of one stream. A slot without a batch is free, or its stream was given up and is not closed yet.
struct StreamSlot {
    /// The maximum number of bytes of a response's body that are kept; the rest is read and dropped.
    static let maximumBody = 8_192
    /// The maximum length of a header value in bytes; longer ones are dropped.
    static let maximumFieldValue = 256
    /// The only header field of a response that is used; others are dropped.
    static let keptField = "retry-after"

    var batch: PushBatch?
    var index = 0
    var deadline = NIODeadline.distantFuture
    var stream: Int32 = 0
    /// Retained while libnghttp2 may read the fields.
    var common: HeaderBlock?
    var bodySent = 0
    /// Whether the whole request was written to the connection.
    var isSent = false
    var status = 0
    var fields: [HeaderField] = []
    var body: [UInt8] = []

    /// A response begins, or a second one after an informational 1xx.
    mutating func begin(status: Int) {
        self.status = status
        fields.removeAll()
        body.removeAll()
    }

    mutating func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        guard name.count == Self.keptField.utf8.count, fields.isEmpty, value.count <= Self.maximumFieldValue,
            name.elementsEqual(Self.keptField.utf8)
        else { return }
        fields.append(HeaderField(Self.keptField, String(decoding: value, as: UTF8.self)))
    }

    mutating func append(body bytes: UnsafeBufferPointer<UInt8>) {
        body.append(contentsOf: bytes.prefix(Self.maximumBody - body.count))
    }
}
