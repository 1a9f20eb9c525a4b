//! Settings by key and by field.

use baton::{Method, Preset, Settings};

#[test]
fn methods_imply_their_presets() {
    assert_eq!(Settings::new(Method::MftMes).preset(), Preset::Calibrated);
    assert_eq!(Settings::default().preset(), Preset::Default);
    for method in Method::ALL {
        assert_eq!(method.name().parse::<Method>().unwrap(), method);
    }
    assert!("mes".parse::<Method>().unwrap_err().to_string().contains("mft-mes"));
    assert!("x".parse::<Preset>().is_err());
    assert_eq!("paper".parse::<Preset>().unwrap(), Preset::Paper);
}

#[test]
fn entries_lead_back_to_the_settings() {
    for method in Method::ALL {
        let mut settings = Settings::new(method);
        settings.set("starts", "4").unwrap();
        settings.set("offset", "-0.25").unwrap();
        let settings = settings.campaign(7).seed(u64::MAX);
        let mut again = Settings::new(method);
        for (key, value) in &settings.entries()[2..] {
            again.set(key, value).unwrap();
        }
        assert_eq!(again, settings, "{method}");
    }
}

#[test]
fn every_key_refuses_nonsense_and_changes_nothing() {
    for method in Method::ALL {
        let mut settings = Settings::new(method);
        let before = settings.clone();
        for key in settings.keys() {
            for nonsense in ["nonsense", "NaN", "-1e999", ""] {
                let refused = settings.set(&key, nonsense).unwrap_err().to_string();
                assert!(refused.contains(&key), "{refused}");
                assert_eq!(settings, before);
            }
        }
    }
    let mut settings = Settings::new(Method::MftMes);
    for (key, value) in
        [("beta", "-1"), ("particles", "0"), ("kde_variance", "0"), ("search.starts", "1.5")]
    {
        assert!(settings.set(key, value).is_err(), "{key} {value}");
    }
    assert!(settings.set("betta", "1").unwrap_err().to_string().contains("beta"));
}

#[test]
fn what_a_method_cannot_use_cannot_be_written() {
    assert!(Settings::default().set("beta", "1").is_ok());
    assert!(Settings::new(Method::WarmStart).set("beta", "1").is_err());
    assert!(Settings::default().set("particles", "4").is_err());
    assert!(Settings::new(Method::Continual).set("beta", "1").is_err());
    assert!(Settings::new(Method::Separation).set("c", "0.4").is_ok());
    assert!(Settings::new(Method::MftMes).set("link", "sinh").is_err());
    assert!(Settings::new(Method::MftMes).set("gap", "true").is_err());
    assert!(Settings::new(Method::MfMesFitted).set("link", "sinh").is_ok());
    assert!(Settings::new(Method::MfMesFitted).set("policy.gap", "true").is_ok());
}

#[test]
fn only_methods_that_fit_their_model_have_a_link_and_explore() {
    let own = ["units.link", "policy.explore", "policy.horizon", "transfer.function"];
    for method in Method::ALL {
        let fitted = Settings::new(method).preset() == Preset::Default;
        let mut settings = Settings::new(method);
        settings.set("starts", "4").unwrap(); // what is not there stays away
        let written: Vec<String> = settings.entries().into_iter().map(|(key, _)| key).collect();
        for (key, value) in own.iter().zip(["identity", "0.2", "3", "none"]) {
            assert_eq!(written.iter().any(|known| known == key), fitted, "{method} {key}");
            assert_eq!(settings.set(key, value).is_ok(), fitted, "{method} {key}");
        }
    }
}

#[test]
fn keys_of_earlier_versions_mean_what_they_meant() {
    let mut settings = Settings::default();
    settings.set("guard", "false").unwrap();
    let off = ["guard", "owed_fidelity"];
    let entries = settings.entries();
    for (key, value) in &entries {
        let leaf = key.rsplit('.').next().unwrap();
        assert!(!off.contains(&leaf) || value == "false", "{key} {value}");
    }
    for (key, value) in
        [("hills", "false"), ("cover", "false"), ("transfer", "exact"), ("widths", "8, 4")]
    {
        settings.set(key, value).unwrap();
    }
    let of = |key: &str| {
        let all = settings.entries();
        all.into_iter().find(|(known, _)| known == key).map(|(_, value)| value)
    };
    assert_eq!(of("policy.past_optima").unwrap(), "false");
    assert_eq!(of("policy.survey").unwrap(), "false");
    assert_eq!(of("policy.gap").unwrap(), "false");
    assert_eq!(of("transfer.function").unwrap(), "exact");
    assert_eq!(
        (of("model.widths").unwrap(), of("model.kernel").unwrap()),
        ("8,4".into(), "deep".into())
    );
}

#[test]
fn keys_of_parts_that_are_gone_are_read_and_mean_nothing() {
    let mut settings = Settings::default();
    settings.set_recorded("transfer.population_prior", "true").unwrap();
    settings.set_recorded("population_prior", "false").unwrap();
    assert_eq!(settings, Settings::default());
    assert!(settings.set_recorded("population_prior", "banana").is_err());
    assert!(
        settings.set("population_prior", "false").is_err() && !settings.has("population_prior")
    );
    assert!(settings.keys().iter().all(|key| !key.contains("population")));
}

/// What earlier versions wrote of a campaign: every key of every method.
const RECORDED: &str = "seed=3 campaign=0 beta=0 c=0.6 particles=6 max_values=10 optimum_gain=gibbon \
    transfer_gain=exact fidelity_kernel=chain prior_variance=0.5 fan_in_scaling=false svgd_steps=80 \
    svgd_step=adam svgd_rate=0.05 svgd_bandwidth=median kde_variance=0.1 refit_every=5 \
    candidates=1000 starts=120 walks=40 iterations=40 charge_failed=true batch_from_particles=false \
    link=sinh transfer=compact guard=true hills=true cover=true confirm=true drift=0.1 explore=0.5 \
    horizon=0 kernel=mixed";

#[test]
fn records_of_earlier_versions_are_read() {
    let mut settings = Settings::default();
    for entry in RECORDED.split_whitespace() {
        let (key, value) = entry.split_once('=').unwrap();
        settings.set_recorded(key, value).unwrap();
    }
    assert_eq!(settings, Settings::default().seed(3));
    let mut paper = Settings::new(Method::MftMes);
    for (key, value) in
        [("link", "identity"), ("cover", "false"), ("horizon", "0"), ("beta", "0.3")]
    {
        paper.set_recorded(key, value).unwrap();
    }
    assert!(paper.set_recorded("transfer", "compact").is_err(), "it would mean something else");
    assert!(paper.set_recorded("betta", "1").is_err());
}
