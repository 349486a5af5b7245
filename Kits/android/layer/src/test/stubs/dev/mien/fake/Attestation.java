package dev.mien.fake;

import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.*;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/**
 * The certificates of keys, as a manufacturer's attestation key signs them, with the extension of Android's key attestation
 * (https://source.android.com/docs/security/features/keystore/attestation). The root is the tests' own.
 */
public final class Attestation {
    /** The app, as the system knows it. */
    public static final String PACKAGE = "org.example.shop";
    public static final byte[] SIGNER = new byte[32];

    private static final KeyPair rootPair = pair();
    public static final X509Certificate root = certificate("Test root", rootPair.getPublic(), true, null);

    static X509Certificate[] chain(PublicKey key, KeyGenParameterSpec spec) {
        if (spec.challenge == null) return new X509Certificate[] { certificate("Android Keystore Key", key, false, null) };
        return new X509Certificate[] { certificate("Android Keystore Key", key, false, description(spec)), root };
    }

    /** The root, for a server that trusts it. */
    public static String pem() {
        try {
            return "-----BEGIN CERTIFICATE-----\n" + java.util.Base64.getMimeEncoder(64, new byte[] { 10 }).encodeToString(root.getEncoded()) + "\n-----END CERTIFICATE-----\n";
        } catch (GeneralSecurityException error) { throw new IllegalStateException(error); }
    }

    private static KeyPair pair() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException error) { throw new IllegalStateException(error); }
    }

    private static byte[] description(KeyGenParameterSpec spec) {
        byte[] app = tlv(0x30,
            tlv(0x31, tlv(0x30, octets(PACKAGE.getBytes(StandardCharsets.US_ASCII)), integer(1))),
            tlv(0x31, octets(SIGNER)));
        byte[] software = tlv(0x30, tagged(701, integer(1_790_000_000_000L)), tagged(709, octets(app)));
        byte[] hardware = tlv(0x30,
            tagged(1, tlv(0x31, integer(2))), tagged(2, integer(3)), tagged(3, integer(256)), tagged(5, tlv(0x31, integer(4))), tagged(10, integer(1)),
            tagged(504, integer(spec.authTypes)), tagged(702, integer(0)),
            tagged(704, tlv(0x30, octets(new byte[32]), new byte[] { 1, 1, -1 }, enumerated(0), octets(new byte[32]))),
            tagged(705, integer(140000)), tagged(706, integer(202601)));
        int level = spec.isInStrongBox ? 2 : 1;
        return tlv(0x30, integer(Build.VERSION.SDK_INT >= 31 ? 200 : 4), enumerated(level), integer(200), enumerated(level), octets(spec.challenge), octets(new byte[0]), software, hardware);
    }

    private static X509Certificate certificate(String name, PublicKey key, boolean isAuthority, byte[] description) {
        byte[] algorithm = tlv(0x30, oid("1.2.840.10045.4.3.2"));
        byte[] extensions = isAuthority
            ? tlv(0x30, extension("2.5.29.19", true, tlv(0x30, new byte[] { 1, 1, -1 })), extension("2.5.29.15", true, new byte[] { 3, 2, 2, 4 }))
            : description == null ? null
            : tlv(0x30, extension("2.5.29.15", true, new byte[] { 3, 2, 7, (byte) 128 }), extension("1.3.6.1.4.1.11129.2.1.17", false, description));
        long now = System.currentTimeMillis();
        byte[] content = tlv(0x30,
            tlv(0xa0, integer(2)), integer(new SecureRandom().nextInt(1 << 30) + 1), algorithm, name("Test root"),
            tlv(0x30, time(now - 86_400_000L), time(now + 86_400_000L)), name(name), key.getEncoded(),
            extensions == null ? new byte[0] : tlv(0xa3, extensions));
        try {
            Signature signature = Signature.getInstance("SHA256withECDSA", "SunEC");
            signature.initSign(rootPair.getPrivate());
            signature.update(content);
            byte[] all = tlv(0x30, content, algorithm, bits(signature.sign()));
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(all));
        } catch (GeneralSecurityException error) { throw new IllegalStateException(error); }
    }

    private static byte[] extension(String id, boolean isCritical, byte[] value) {
        return isCritical ? tlv(0x30, oid(id), new byte[] { 1, 1, -1 }, octets(value)) : tlv(0x30, oid(id), octets(value));
    }
    private static byte[] name(String text) { return tlv(0x30, tlv(0x31, tlv(0x30, oid("2.5.4.3"), tlv(0x0c, text.getBytes(StandardCharsets.UTF_8))))); }
    private static byte[] time(long milliseconds) {
        SimpleDateFormat form = new SimpleDateFormat("yyMMddHHmmss'Z'", Locale.ROOT);
        form.setTimeZone(TimeZone.getTimeZone("UTC"));
        return tlv(0x17, form.format(new Date(milliseconds)).getBytes(StandardCharsets.US_ASCII));
    }

    // DER

    private static byte[] tlv(int tag, byte[]... parts) { return tlv(new byte[] { (byte) tag }, parts); }
    private static byte[] tlv(byte[] tag, byte[]... parts) {
        ByteArrayOutputStream content = new ByteArrayOutputStream(), out = new ByteArrayOutputStream();
        for (byte[] part : parts) content.write(part, 0, part.length);
        int length = content.size();
        out.write(tag, 0, tag.length);
        if (length < 128) out.write(length);
        else if (length < 256) { out.write(0x81); out.write(length); }
        else { out.write(0x82); out.write(length >> 8); out.write(length); }
        out.write(content.toByteArray(), 0, length);
        return out.toByteArray();
    }
    /** Context-specific, constructed. */
    private static byte[] tagged(int number, byte[] value) {
        byte[] tag = number < 31 ? new byte[] { (byte) (0xa0 | number) } : number < 128 ? new byte[] { (byte) 0xbf, (byte) number }
            : new byte[] { (byte) 0xbf, (byte) (0x80 | number >> 7), (byte) (number & 127) };
        return tlv(tag, value);
    }
    private static byte[] octets(byte[] bytes) { return tlv(4, bytes); }
    private static byte[] bits(byte[] bytes) { return tlv(3, new byte[] { 0 }, bytes); }
    private static byte[] integer(long value) { return tlv(2, BigInteger.valueOf(value).toByteArray()); }
    private static byte[] enumerated(int value) { return tlv(10, new byte[] { (byte) value }); }
    private static byte[] oid(String text) {
        String[] parts = text.split("\\.");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(40 * Integer.parseInt(parts[0]) + Integer.parseInt(parts[1]));
        for (int i = 2; i < parts.length; i++) {
            long value = Long.parseLong(parts[i]);
            for (int shift = 63 / 7 * 7; shift >= 0; shift -= 7) {
                long rest = value >> shift;
                if (rest != 0 || shift == 0) out.write((int) (rest & 127 | (shift == 0 ? 0 : 128)));
            }
        }
        return tlv(6, out.toByteArray());
    }

    private Attestation() {}
}
