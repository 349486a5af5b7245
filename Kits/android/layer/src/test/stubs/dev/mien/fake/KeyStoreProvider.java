package dev.mien.fake;

import android.os.Build;
import android.security.keystore.KeyGenParameterSpec;
import android.security.keystore.KeyInfo;
import android.security.keystore.KeyPermanentlyInvalidatedException;
import android.security.keystore.KeyProperties;
import android.security.keystore.StrongBoxUnavailableException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.*;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.KeySpec;
import java.util.*;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.*;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** A key store whose keys cannot be read, need the person, and are forgotten with another enrollment, as Android's. */
public final class KeyStoreProvider extends Provider {
    public static final String NAME = "AndroidKeyStore";

    /** A key of the store. */
    public static final class Entry {
        final KeyGenParameterSpec spec;
        final KeyPair pair;
        final SecretKey secret;
        final X509Certificate[] chain;
        final int enrollment = Phone.enrollment;

        Entry(KeyGenParameterSpec spec, KeyPair pair, SecretKey secret, X509Certificate[] chain) {
            this.spec = spec;
            this.pair = pair;
            this.secret = secret;
            this.chain = chain;
        }

        /** Keys that the PIN unlocks, too, do not depend on the enrollment. */
        boolean isInvalid() {
            boolean biometricOnly = spec.authTypes == KeyProperties.AUTH_BIOMETRIC_STRONG;
            boolean isBound = Build.VERSION.SDK_INT < 24 || spec.isInvalidatedByEnrollment;
            return spec.needsUser && biometricOnly && (Phone.enrollment == 0 || isBound && Phone.enrollment != enrollment) || spec.needsUser && !Phone.hasPin;
        }

        public boolean isInStrongBox() { return spec.isInStrongBox; }
    }

    public static final Map<String, Entry> entries = new ConcurrentHashMap<>();

    @SuppressWarnings("deprecation")
    public KeyStoreProvider() {
        super(NAME, 1.0, "the key store of the tests");
        put("KeyStore." + NAME, Store.class.getName());
        put("KeyPairGenerator.EC", PairGenerator.class.getName());
        put("KeyFactory.EC", Factory.class.getName());
        put("KeyGenerator.AES", AesGenerator.class.getName());
        put("KeyGenerator.HmacSHA256", MacGenerator.class.getName());
        put("Signature.SHA256withECDSA", Operation.class.getName());
        put("Signature.SHA256withECDSA SupportedKeyClasses", Handle.class.getName());
        put("Cipher.AES/GCM/NoPadding", Sealer.class.getName());
        put("Cipher.AES/GCM/NoPadding SupportedKeyClasses", Handle.class.getName());
        put("Mac.HmacSHA256", MacOperation.class.getName());
        put("Mac.HmacSHA256 SupportedKeyClasses", Handle.class.getName());
    }

    /** A key as an app holds it: its name. */
    public static final class Handle implements PrivateKey, SecretKey {
        final String alias, algorithm;
        Handle(String alias, String algorithm) { this.alias = alias; this.algorithm = algorithm; }
        @Override public String getAlgorithm() { return algorithm; }
        @Override public String getFormat() { return null; }
        @Override public byte[] getEncoded() { return null; }

        Entry entry() throws InvalidKeyException {
            Entry entry = entries.get(alias);
            if (entry == null) throw new InvalidKeyException("Keystore operation failed");
            if (entry.isInvalid()) throw new KeyPermanentlyInvalidatedException();
            return entry;
        }
    }

    public static final class Store extends KeyStoreSpi {
        @Override public Key engineGetKey(String alias, char[] password) throws UnrecoverableKeyException {
            Entry entry = entries.get(alias);
            if (entry != null && (Phone.isKeyStoreBusy || Phone.isKeyStoreBroken)) {
                UnrecoverableKeyException error = new UnrecoverableKeyException("Failed to obtain information about key");
                error.initCause(new android.security.KeyStoreException(Phone.isKeyStoreBusy));
                throw error;
            }
            return entry == null ? null : new Handle(alias, entry.pair != null ? "EC" : entry.secret.getAlgorithm());
        }
        @Override public Certificate[] engineGetCertificateChain(String alias) { return entries.containsKey(alias) ? entries.get(alias).chain : null; }
        @Override public Certificate engineGetCertificate(String alias) { return entries.containsKey(alias) ? entries.get(alias).chain[0] : null; }
        @Override public Date engineGetCreationDate(String alias) { return null; }
        @Override public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) { throw new UnsupportedOperationException(); }
        @Override public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) { throw new UnsupportedOperationException(); }
        @Override public void engineSetCertificateEntry(String alias, Certificate certificate) { throw new UnsupportedOperationException(); }
        @Override public void engineDeleteEntry(String alias) { entries.remove(alias); }
        @Override public Enumeration<String> engineAliases() { return Collections.enumeration(new ArrayList<>(entries.keySet())); }
        @Override public boolean engineContainsAlias(String alias) { return entries.containsKey(alias); }
        @Override public int engineSize() { return entries.size(); }
        @Override public boolean engineIsKeyEntry(String alias) { return entries.containsKey(alias); }
        @Override public boolean engineIsCertificateEntry(String alias) { return false; }
        @Override public String engineGetCertificateAlias(Certificate certificate) { return null; }
        @Override public void engineStore(OutputStream stream, char[] password) {}
        @Override public void engineLoad(InputStream stream, char[] password) {}
    }

    public static final class PairGenerator extends KeyPairGeneratorSpi {
        private KeyGenParameterSpec spec;

        @Override public void initialize(int size, SecureRandom random) { throw new UnsupportedOperationException(); }

        @Override public void initialize(AlgorithmParameterSpec spec, SecureRandom random) throws InvalidAlgorithmParameterException {
            this.spec = (KeyGenParameterSpec) spec;
            if (!this.spec.needsUser) return;
            boolean biometricOnly = this.spec.authTypes == KeyProperties.AUTH_BIOMETRIC_STRONG;
            if (!Phone.hasPin || biometricOnly && Phone.enrollment == 0) {
                throw new InvalidAlgorithmParameterException(new IllegalStateException("At least one biometric must be enrolled to create keys requiring user authentication for every use"));
            }
        }

        @Override public KeyPair generateKeyPair() {
            if (spec.isInStrongBox && (!Phone.hasStrongBox || Phone.isStrongBoxFull)) throw new StrongBoxUnavailableException();
            if (spec.challenge != null && !Phone.attests) throw new ProviderException("Failed to generate attestation certificate chain");
            try {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                KeyPair pair = generator.generateKeyPair();
                entries.put(spec.alias, new Entry(spec, pair, null, Attestation.chain(pair.getPublic(), spec)));
                return new KeyPair(pair.getPublic(), new Handle(spec.alias, "EC"));
            } catch (GeneralSecurityException error) { throw new ProviderException(error); }
        }
    }

    public static final class Factory extends KeyFactorySpi {
        @Override protected PublicKey engineGeneratePublic(KeySpec spec) { throw new UnsupportedOperationException(); }
        @Override protected PrivateKey engineGeneratePrivate(KeySpec spec) { throw new UnsupportedOperationException(); }
        @Override protected Key engineTranslateKey(Key key) { throw new UnsupportedOperationException(); }
        @Override protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> type) { return type.cast(new KeyInfo(entries.get(((Handle) key).alias).spec.authTypes)); }
    }

    abstract static class SecretGenerator extends KeyGeneratorSpi {
        private KeyGenParameterSpec spec;
        abstract String algorithm();
        @Override protected void engineInit(SecureRandom random) { throw new UnsupportedOperationException(); }
        @Override protected void engineInit(int size, SecureRandom random) { throw new UnsupportedOperationException(); }
        @Override protected void engineInit(AlgorithmParameterSpec spec, SecureRandom random) { this.spec = (KeyGenParameterSpec) spec; }
        @Override protected SecretKey engineGenerateKey() {
            byte[] bytes = new byte[32];
            new SecureRandom().nextBytes(bytes);
            entries.put(spec.alias, new Entry(spec, null, new SecretKeySpec(bytes, algorithm()), null));
            return new Handle(spec.alias, algorithm());
        }
    }
    public static final class AesGenerator extends SecretGenerator { @Override String algorithm() { return "AES"; } }
    public static final class MacGenerator extends SecretGenerator { @Override String algorithm() { return "HmacSHA256"; } }

    /** A signature that the dialog authorizes, once. */
    public static final class Operation extends SignatureSpi {
        private Entry entry;
        private Signature inner;
        private int authorized;

        public void authorize(int resultType) { authorized = resultType == 2 ? KeyProperties.AUTH_BIOMETRIC_STRONG : KeyProperties.AUTH_DEVICE_CREDENTIAL; }

        @Override protected void engineInitVerify(PublicKey key) throws InvalidKeyException { throw new InvalidKeyException(); }
        @Override protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
            entry = ((Handle) key).entry();
            authorized = 0;
            try {
                inner = Signature.getInstance("SHA256withECDSA", "SunEC");
                inner.initSign(entry.pair.getPrivate());
            } catch (GeneralSecurityException error) { throw new InvalidKeyException(error); }
        }
        @Override protected void engineUpdate(byte b) throws SignatureException { inner.update(b); }
        @Override protected void engineUpdate(byte[] bytes, int offset, int count) throws SignatureException { inner.update(bytes, offset, count); }
        @Override protected byte[] engineSign() throws SignatureException {
            if (entry.spec.needsUser && (authorized & entry.spec.authTypes) == 0) throw new SignatureException("android.security.KeyStoreException: Key user not authenticated");
            authorized = 0;
            return inner.sign();
        }
        @Override protected boolean engineVerify(byte[] signature) { throw new UnsupportedOperationException(); }
        @Override @Deprecated protected void engineSetParameter(String name, Object value) {}
        @Override @Deprecated protected Object engineGetParameter(String name) { return this; }
    }

    public static final class Sealer extends CipherSpi {
        private Cipher inner;

        @Override protected void engineSetMode(String mode) {}
        @Override protected void engineSetPadding(String padding) {}
        @Override protected int engineGetBlockSize() { return 16; }
        @Override protected int engineGetOutputSize(int length) { return length + 16; }
        @Override protected byte[] engineGetIV() { return inner.getIV(); }
        @Override protected AlgorithmParameters engineGetParameters() { return inner.getParameters(); }
        @Override protected void engineInit(int mode, Key key, SecureRandom random) throws InvalidKeyException { begin(mode, key, null); }
        @Override protected void engineInit(int mode, Key key, AlgorithmParameters parameters, SecureRandom random) throws InvalidKeyException { begin(mode, key, null); }
        @Override protected void engineInit(int mode, Key key, AlgorithmParameterSpec spec, SecureRandom random) throws InvalidKeyException, InvalidAlgorithmParameterException {
            if (mode == Cipher.ENCRYPT_MODE) throw new InvalidAlgorithmParameterException("Caller-provided IV not permitted");
            begin(mode, key, (GCMParameterSpec) spec);
        }
        private void begin(int mode, Key key, GCMParameterSpec spec) throws InvalidKeyException {
            if (Phone.isKeyStoreBusy) throw new InvalidKeyException("Keystore operation failed");
            try {
                inner = Cipher.getInstance("AES/GCM/NoPadding", "SunJCE");
                SecretKey secret = ((Handle) key).entry().secret;
                if (spec == null) inner.init(mode, secret); else inner.init(mode, secret, spec);
            } catch (InvalidKeyException error) { throw error; } catch (GeneralSecurityException error) { throw new InvalidKeyException(error); }
        }
        @Override protected void engineUpdateAAD(byte[] bytes, int offset, int count) { inner.updateAAD(bytes, offset, count); }
        @Override protected byte[] engineUpdate(byte[] bytes, int offset, int count) { return inner.update(bytes, offset, count); }
        @Override protected int engineUpdate(byte[] bytes, int offset, int count, byte[] out, int at) throws ShortBufferException { return inner.update(bytes, offset, count, out, at); }
        @Override protected byte[] engineDoFinal(byte[] bytes, int offset, int count) throws IllegalBlockSizeException, BadPaddingException { return inner.doFinal(bytes, offset, count); }
        @Override protected int engineDoFinal(byte[] bytes, int offset, int count, byte[] out, int at) throws ShortBufferException, IllegalBlockSizeException, BadPaddingException {
            return inner.doFinal(bytes, offset, count, out, at);
        }
    }

    public static final class MacOperation extends MacSpi {
        private Mac inner;
        @Override protected int engineGetMacLength() { return 32; }
        @Override protected void engineInit(Key key, AlgorithmParameterSpec spec) throws InvalidKeyException {
            try {
                inner = Mac.getInstance("HmacSHA256", "SunJCE");
                inner.init(((Handle) key).entry().secret);
            } catch (InvalidKeyException error) { throw error; } catch (GeneralSecurityException error) { throw new InvalidKeyException(error); }
        }
        @Override protected void engineUpdate(byte b) { inner.update(b); }
        @Override protected void engineUpdate(byte[] bytes, int offset, int count) { inner.update(bytes, offset, count); }
        @Override protected byte[] engineDoFinal() { return inner.doFinal(); }
        @Override protected void engineReset() { inner.reset(); }
    }
}
